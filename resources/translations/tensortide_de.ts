<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name>tensortide</name>
    <message>
        <source>Your prediction</source>
        <translation>Deine Vorhersage</translation>
    </message>
    <message>
        <source>Your order, the first on top</source>
        <translation>Deine Reihenfolge, das Erste oben</translation>
    </message>
    <message>
        <source>Move &amp;up</source>
        <translation>Nach &amp;oben</translation>
    </message>
    <message>
        <source>Move &amp;down</source>
        <translation>Nach &amp;unten</translation>
    </message>
    <message>
        <source>Choose a role</source>
        <translation>Rolle wählen</translation>
    </message>
    <message>
        <source>Role of %1</source>
        <translation>Rolle von %1</translation>
    </message>
    <message>
        <source>Your dot on the roofline. Arrow keys move it.</source>
        <translation>Dein Punkt im Roofline-Bild. Die Pfeiltasten bewegen ihn.</translation>
    </message>
    <message>
        <source>Your curve. Left and right choose a place, up and down move it.</source>
        <translation>Deine Kurve. Links und rechts wählen eine Stelle, auf und ab bewegen sie.</translation>
    </message>
    <message>
        <source>Click, or move the dot with the arrow keys. Shift makes small steps.</source>
        <translation>Klicke, oder bewege den Punkt mit den Pfeiltasten. Umschalt macht kleine Schritte.</translation>
    </message>
    <message>
        <source>Draw with the mouse. Or choose a place with left and right, and move it with up and down.</source>
        <translation>Zeichne mit der Maus. Oder wähle eine Stelle mit links und rechts und bewege sie mit auf und ab.</translation>
    </message>
    <message>
        <source>nothing is placed yet</source>
        <translation>noch nichts gesetzt</translation>
    </message>
    <message>
        <source>Arithmetic intensity [FLOP/B]</source>
        <translation>Arithmetische Intensität [FLOP/B]</translation>
    </message>
    <message>
        <source>Click where the dot will be</source>
        <translation>Klicke dorthin, wo der Punkt liegen wird</translation>
    </message>
    <message>
        <source>Draw the curve here</source>
        <translation>Zeichne die Kurve hier</translation>
    </message>
    <message>
        <source>Batch sizes of the sweep</source>
        <translation>Batchgrößen der Messreihe</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>The batch sizes of the sweep; where the slider rests, that point&apos;s capture is shown</source>
        <translation>Die Batchgrößen der Messreihe; wo der Schieber ruht, wird die Aufzeichnung dieses Punkts gezeigt</translation>
    </message>
    <message>
        <source>Weights per sample</source>
        <translation>Gewichte je Beispiel</translation>
    </message>
    <message>
        <source>Bytes of parameters that cross the outermost link in a step, divided by the samples of the step. A bigger batch reads them no more often, so the line falls as 1/B (dotted) until activations push the weights out of the caches.</source>
        <translation>Bytes der Parameter, die in einem Schritt die äußerste Verbindung queren, durch die Beispiele des Schritts. Ein größerer Batch liest sie nicht öfter, also fällt die Linie wie 1/B (gepunktet), bis Aktivierungen die Gewichte aus den Caches drängen.</translation>
    </message>
    <message>
        <source>weight bytes / batch</source>
        <translation>Bytes der Gewichte / Batch</translation>
    </message>
    <message>
        <source>batch %1: weights –, the machine was not probed</source>
        <translation>Batch %1: Gewichte –, die Maschine wurde nicht vermessen</translation>
    </message>
    <message>
        <source>batch %1: weights %2 per sample, modelled, %3%4</source>
        <translation>Batch %1: Gewichte %2 je Beispiel, modelliert, %3%4</translation>
    </message>
    <message>
        <source>; not recorded</source>
        <translation>; nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>%1: %2 (%3)</source>
        <translation>%1: %2 (%3)</translation>
    </message>
    <message>
        <source>%1: %2 (%3, %4)</source>
        <translation>%1: %2 (%3, %4)</translation>
    </message>
    <message>
        <source>Beside this processor</source>
        <translation>Neben diesem Prozessor</translation>
    </message>
    <message>
        <source>Device beside this processor</source>
        <translation>Gerät neben diesem Prozessor</translation>
    </message>
    <message>
        <source>Both devices: units with lanes, then a pair of bars per figure</source>
        <translation>Beide Geräte: Einheiten mit Lanes, dann ein Paar Balken je Zahl</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Not all figures are known; point at a row to see why.</source>
        <translation>Nicht alle Zahlen sind bekannt; zeige auf eine Zeile, um zu sehen, warum.</translation>
    </message>
    <message>
        <source>No device to hold beside</source>
        <translation>Kein Gerät zum Danebenstellen</translation>
    </message>
    <message>
        <source>No GPU is known.</source>
        <translation>Keine GPU ist bekannt.</translation>
    </message>
    <message>
        <source>– (%1)</source>
        <translation>– (%1)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Black screen: any key shows the lesson again</source>
        <translation>Schwarzer Bildschirm: jede Taste zeigt die Lektion wieder</translation>
    </message>
    <message>
        <source>Caches to simulate</source>
        <translation>Caches für die Simulation</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Size of the chosen level, in powers of two of its sets</source>
        <translation>Größe der gewählten Ebene, in Zweierpotenzen ihrer Sätze</translation>
    </message>
    <message>
        <source>Ways</source>
        <translation>Wege</translation>
    </message>
    <message>
        <source>Ways of the chosen level: how many lines may share a set</source>
        <translation>Wege der gewählten Ebene: wie viele Zeilen sich einen Satz teilen können</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Bytes of a line, in all levels</source>
        <translation>Bytes einer Zeile, in allen Ebenen</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Which line of a full set leaves. LRU of PLRU trees: trees of four ways in LRU order, as 12-way first levels have</source>
        <translation>Welche Zeile einen vollen Satz verlässt. LRU von PLRU-Bäumen: Bäume aus vier Wegen in LRU-Folge, wie sie erste Ebenen mit 12 Wegen haben</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Diese Maschine</translation>
    </message>
    <message>
        <source>Back to the caches of the machine that recorded this</source>
        <translation>Zurück zu den Caches der Maschine, die dies aufgezeichnet hat</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>Cache: simulated caches and their misses</source>
        <translation>Cache: simulierte Caches und ihre Fehlzugriffe</translation>
    </message>
    <message>
        <source>Cache pictures: curve, causes, sets, accesses</source>
        <translation>Bilder des Caches: Kurve, Ursachen, Sätze, Zugriffe</translation>
    </message>
    <message>
        <source>Tensors by misses at the chosen level</source>
        <translation>Tensoren nach Fehlzugriffen auf der gewählten Ebene</translation>
    </message>
    <message>
        <source>No tensor reaches this level.</source>
        <translation>Kein Tensor erreicht diese Ebene.</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>Umfang</translation>
    </message>
    <message>
        <source>Op</source>
        <translation>Op</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>The selected op; the slowest one while none is selected</source>
        <translation>Die gewählte Op; die langsamste, solange keine gewählt ist</translation>
    </message>
    <message>
        <source>The ops of its layer, one after the other</source>
        <translation>Die Ops ihrer Schicht, eine nach der anderen</translation>
    </message>
    <message>
        <source>All ops of the step, one after the other</source>
        <translation>Alle Ops des Schritts, eine nach der anderen</translation>
    </message>
    <message>
        <source>Caches at the start</source>
        <translation>Caches am Anfang</translation>
    </message>
    <message>
        <source>Cold</source>
        <translation>Kalt</translation>
    </message>
    <message>
        <source>Warm</source>
        <translation>Warm</translation>
    </message>
    <message>
        <source>From empty caches</source>
        <translation>Mit leeren Caches</translation>
    </message>
    <message>
        <source>Run once more, with what the first run left in the caches</source>
        <translation>Noch ein Durchgang, mit dem, was der erste in den Caches ließ</translation>
    </message>
    <message>
        <source>Curve</source>
        <translation>Kurve</translation>
    </message>
    <message>
        <source>Miss ratio</source>
        <translation>Fehlrate</translation>
    </message>
    <message>
        <source>Off-chip bytes</source>
        <translation>Bytes außerhalb des Chips</translation>
    </message>
    <message>
        <source>Share of the accesses that a cache of each size misses</source>
        <translation>Anteil der Zugriffe, die ein Cache jeder Größe verfehlt</translation>
    </message>
    <message>
        <source>Bytes of the step from and to off-chip memory, over the memory on the chip (modelled)</source>
        <translation>Bytes des Schritts vom und zum Speicher außerhalb des Chips, über dem Speicher auf dem Chip (modelliert)</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>Simulation</source>
        <translation>Simulation</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel the simulation</source>
        <translation>Die Simulation abbrechen</translation>
    </message>
    <message>
        <source>Stops the simulation; what is shown stays</source>
        <translation>Hält die Simulation an; was gezeigt wird, bleibt</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Play the accesses</source>
        <translation>Die Zugriffe abspielen</translation>
    </message>
    <message>
        <source>Shows the accesses one after the other (Space)</source>
        <translation>Zeigt die Zugriffe einen nach dem anderen (Leertaste)</translation>
    </message>
    <message>
        <source>One access back</source>
        <translation>Einen Zugriff zurück</translation>
    </message>
    <message>
        <source>One access back (Left)</source>
        <translation>Einen Zugriff zurück (Links)</translation>
    </message>
    <message>
        <source>One access on</source>
        <translation>Einen Zugriff weiter</translation>
    </message>
    <message>
        <source>One access on (Right)</source>
        <translation>Einen Zugriff weiter (Rechts)</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Accesses per second, from 25 to 6400</source>
        <translation>Zugriffe je Sekunde, von 25 bis 6400</translation>
    </message>
    <message>
        <source>Accesses</source>
        <translation>Zugriffe</translation>
    </message>
    <message>
        <source>Sliders, sets and tensors are about %1</source>
        <translation>Schieber, Sätze und Tensoren gelten für %1</translation>
    </message>
    <message>
        <source>Whole step</source>
        <translation>Ganzer Schritt</translation>
    </message>
    <message>
        <source>, the slowest op</source>
        <translation>, die langsamste Op</translation>
    </message>
    <message>
        <source>This capture has no op that runs.</source>
        <translation>Diese Aufzeichnung hat keine Op, die läuft.</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>simuliert</translation>
    </message>
    <message>
        <source>%1: %2 misses of %3 accesses</source>
        <translation>%1: %2 Fehlzugriffe von %3 Zugriffen</translation>
    </message>
    <message>
        <source>%1 misses by tensor</source>
        <translation>Fehlzugriffe von %1 nach Tensor</translation>
    </message>
    <message>
        <source>%1 misses of %2 accesses at %3
%4, %5</source>
        <translation>%1 Fehlzugriffe von %2 Zugriffen auf %3
%4, %5</translation>
    </message>
    <message>
        <source>size –</source>
        <translation>Größe –</translation>
    </message>
    <message>
        <source>Lines of this tensor that this level did not have.</source>
        <translation>Zeilen dieses Tensors, die diese Ebene nicht hatte.</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>noch %1 s</translation>
    </message>
    <message>
        <source>Cancelled: this is what was simulated before.</source>
        <translation>Abgebrochen: das wurde davor simuliert.</translation>
    </message>
    <message>
        <source>no figure of this kernel, the least it touches: %1</source>
        <translation>keine Angabe zu diesem Kernel, das Mindeste, was er berührt: %1</translation>
    </message>
    <message>
        <source>simulated, 1/%1 of the sets</source>
        <translation>simuliert, 1/%1 der Sätze</translation>
    </message>
    <message>
        <source>simulated, every line</source>
        <translation>simuliert, jede Zeile</translation>
    </message>
    <message>
        <source>simulating</source>
        <translation>wird simuliert</translation>
    </message>
    <message>
        <source>%1 on the chip</source>
        <translation>%1 auf dem Chip</translation>
    </message>
    <message>
        <source>%1 off the chip per step</source>
        <translation>%1 außerhalb des Chips je Schritt</translation>
    </message>
    <message>
        <source>A buffer stays on the chip if all buffers used since its last use fit as well. With none, each op moves all its operands. With all, inputs and outputs are left.</source>
        <translation>Ein Puffer bleibt auf dem Chip, wenn auch alle Puffer hineinpassen, die seit seiner letzten Benutzung benutzt wurden. Ohne solchen Speicher bewegt jede Op alle ihre Operanden. Mit allem bleiben Eingaben und Ausgaben.</translation>
    </message>
    <message>
        <source>sum over operands that do not stay</source>
        <translation>Summe über Operanden, die nicht bleiben</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>No capture on the table</source>
        <translation>Keine Aufzeichnung geöffnet</translation>
    </message>
    <message>
        <source>Run a workload or open a .tide file: then this simulates what a hierarchy of caches does with the accesses of an op.</source>
        <translation>Starte einen Workload oder öffne eine .tide-Datei: dann simuliert dies, was eine Hierarchie von Caches mit den Zugriffen einer Op macht.</translation>
    </message>
    <message>
        <source>Accesses are not in the trace</source>
        <translation>Zugriffe stehen nicht in der Spur</translation>
    </message>
    <message>
        <source>An imported trace does not hold the accesses of its kernels, so caches cannot be simulated. Run a similar workload here on a CPU to see them.</source>
        <translation>Eine importierte Spur enthält die Zugriffe ihrer Kernel nicht, also lassen sich Caches nicht simulieren. Führe einen ähnlichen Workload hier auf einer CPU aus, um sie zu sehen.</translation>
    </message>
    <message>
        <source>Its accesses are unknown</source>
        <translation>Ihre Zugriffe sind unbekannt</translation>
    </message>
    <message>
        <source> What helps: record the run again with this version on a CPU, or choose another op.</source>
        <translation> Was hilft: zeichne den Lauf mit dieser Version auf einer CPU neu auf, oder wähle eine andere Op.</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Choose an op, or move a slider, to simulate again.</source>
        <translation>Wähle eine Op oder bewege einen Schieber, um neu zu simulieren.</translation>
    </message>
    <message>
        <source>Simulating %1</source>
        <translation>%1 wird simuliert</translation>
    </message>
    <message>
        <source>The first figures come in less than a second.</source>
        <translation>Die ersten Zahlen kommen in weniger als einer Sekunde.</translation>
    </message>
    <message>
        <source>An imported trace does not hold the accesses of its kernels.</source>
        <translation>Eine importierte Spur enthält die Zugriffe ihrer Kernel nicht.</translation>
    </message>
    <message>
        <source>simulating %1 accesses, some of the sets</source>
        <translation>%1 Zugriffe werden simuliert, einige der Sätze</translation>
    </message>
    <message>
        <source>simulating %1 accesses, more of the sets, with a sampled curve</source>
        <translation>%1 Zugriffe werden simuliert, mehr der Sätze, mit einer Kurve aus Stichproben</translation>
    </message>
    <message>
        <source>simulating %1 accesses exactly, with causes and curve</source>
        <translation>%1 Zugriffe werden exakt simuliert, mit Ursachen und Kurve</translation>
    </message>
    <message>
        <source>reading what it accesses</source>
        <translation>wird gelesen, worauf sie zugreift</translation>
    </message>
    <message>
        <source>Every run has: %1.</source>
        <translation>Jeder Lauf hat: %1.</translation>
    </message>
    <message>
        <source>Type a command, or the name of a workload, capture or op</source>
        <translation>Tippe einen Befehl oder den Namen eines Workloads, einer Aufzeichnung oder einer Op</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Nothing is called “%1”.</source>
        <translation>Nichts heißt „%1“.</translation>
    </message>
    <message>
        <source>Results of the comparison</source>
        <translation>Ergebnisse des Vergleichs</translation>
    </message>
    <message>
        <source>Compare with…</source>
        <translation>Vergleichen mit…</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Compare: two runs op by op</source>
        <translation>Vergleich: zwei Läufe, Op für Op</translation>
    </message>
    <message>
        <source>Chooses the capture that the one on the table is compared with</source>
        <translation>Wählt die Aufzeichnung, mit der die gezeigte verglichen wird</translation>
    </message>
    <message>
        <source>Both steps op by op, and their bytes</source>
        <translation>Beide Schritte, Op für Op, und ihre Bytes</translation>
    </message>
    <message>
        <source>Ops of both runs</source>
        <translation>Ops beider Läufe</translation>
    </message>
    <message>
        <source>lower quartile</source>
        <translation>unteres Quartil</translation>
    </message>
    <message>
        <source>%1 (before) → %2 (after)</source>
        <translation>%1 (vorher) → %2 (nachher)</translation>
    </message>
    <message>
        <source>How decided</source>
        <translation>Wie entschieden wurde</translation>
    </message>
    <message>
        <source>Repeats left out: %1</source>
        <translation>Ausgelassene Wiederholungen: %1</translation>
    </message>
    <message>
        <source>Judged from %1 (%2).</source>
        <translation>Beurteilt nach %1 (%2).</translation>
    </message>
    <message>
        <source>%1 before, %2 after (lower quartiles of the steps)</source>
        <translation>%1 vorher, %2 nachher (untere Quartile der Schritte)</translation>
    </message>
    <message>
        <source>
%1: %2 (95 %: %3 to %4)</source>
        <translation>
%1: %2 (95 %: %3 bis %4)</translation>
    </message>
    <message>
        <source>
limited by %1, before by %2</source>
        <translation>
begrenzt durch %1, vorher durch %2</translation>
    </message>
    <message>
        <source>Open two captures at once, or open one and choose another in the menu Compare.</source>
        <translation>Öffne zwei Aufzeichnungen auf einmal, oder öffne eine und wähle eine andere im Menü Vergleichen.</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>Vergleich läuft</translation>
    </message>
    <message>
        <source>The repeats beside both captures are being read.</source>
        <translation>Die Wiederholungen neben beiden Aufzeichnungen werden gelesen.</translation>
    </message>
    <message>
        <source>Nothing to compare with</source>
        <translation>Nichts zum Vergleichen</translation>
    </message>
    <message>
        <source>Choose a capture with the button above or in the menu Compare. Each op is then shown with its partner: what got slower, how sure that is, and why.</source>
        <translation>Wähle eine Aufzeichnung mit dem Knopf oben oder im Menü Vergleichen. Jede Op steht dann neben ihrem Gegenstück: was langsamer wurde, wie sicher das ist, und warum.</translation>
    </message>
    <message>
        <source>%1 is a sweep: open one of its points to compare with</source>
        <translation>%1 ist eine Messreihe: öffne einen ihrer Punkte zum Vergleichen</translation>
    </message>
    <message>
        <source>%1 does not exist</source>
        <translation>%1 gibt es nicht</translation>
    </message>
    <message>
        <source>Opening %1 …</source>
        <translation>%1 wird geöffnet …</translation>
    </message>
    <message>
        <source>Reading %1 …</source>
        <translation>%1 wird gelesen …</translation>
    </message>
    <message>
        <source>%1 is the capture shown: choose another one to compare with</source>
        <translation>%1 ist die gezeigte Aufzeichnung: wähle eine andere zum Vergleichen</translation>
    </message>
    <message>
        <source>Open a capture first, then choose the one to compare it with</source>
        <translation>Öffne zuerst eine Aufzeichnung, dann wähle eine zum Vergleichen</translation>
    </message>
    <message>
        <source>%1, which was shown last, is no longer there.</source>
        <translation>%1, zuletzt gezeigt, ist nicht mehr da.</translation>
    </message>
    <message>
        <source>These files, which were shown last, are no longer there: %1.</source>
        <translation>Diese zuletzt gezeigten Dateien sind nicht mehr da: %1.</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>%1
sweep over 1 point</source>
        <translation>%1
Messreihe mit 1 Punkt</translation>
    </message>
    <message>
        <source>%1
sweep over %2 points</source>
        <translation>%1
Messreihe mit %2 Punkten</translation>
    </message>
    <message>
        <source>Open a capture, or several to compare</source>
        <translation>Eine Aufzeichnung öffnen, oder mehrere zum Vergleichen</translation>
    </message>
    <message>
        <source>Compare with a capture</source>
        <translation>Mit einer Aufzeichnung vergleichen</translation>
    </message>
    <message>
        <source>Captures (*.tide);;All files (*)</source>
        <translation>Aufzeichnungen (*.tide);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>Ein Modell öffnen</translation>
    </message>
    <message>
        <source>ONNX models and networks in JSON (*.onnx *.json);;All files (*)</source>
        <translation>ONNX-Modelle und Netze in JSON (*.onnx *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Durations of the selected name</source>
        <translation>Dauern des gewählten Namens</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>No name is selected</source>
        <translation>Kein Name gewählt</translation>
    </message>
    <message>
        <source>once, %1</source>
        <translation>einmal, %1</translation>
    </message>
    <message>
        <source>%L1 times, %2 in all</source>
        <translation>%L1-mal, zusammen %2</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>duration, logarithmic</source>
        <translation>Dauer, logarithmisch</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Whole durations of those that begin inside the range. pN: the smallest duration that at least N % do not exceed.</source>
        <translation>Ganze Dauern derer, die im Bereich beginnen. pN: die kleinste Dauer, die mindestens N % nicht überschreiten.</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%L1 of %L2 (%3)</source>
        <translation>%L1 von %L2 (%3)</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Beginn</translation>
    </message>
    <message>
        <source>Since the start of the capture.</source>
        <translation>Seit dem Beginn der Aufzeichnung.</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>From its begin to its end on its track.</source>
        <translation>Vom Beginn bis zum Ende auf seiner Spur.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>As the bar in the timeline is called.</source>
        <translation>Wie der Balken in der Zeitleiste heißt.</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Op, kernel, copy, API call, wait or range.</source>
        <translation>Op, Kernel, Kopie, API-Aufruf, Warten oder Bereich.</translation>
    </message>
    <message>
        <source>Track</source>
        <translation>Spur</translation>
    </message>
    <message>
        <source>The thread, stream or copy engine it ran on.</source>
        <translation>Der Thread, Strom oder Kopierer, auf dem es lief.</translation>
    </message>
    <message>
        <source>Which step of the run it belongs to.</source>
        <translation>Zu welchem Schritt des Laufs es gehört.</translation>
    </message>
    <message>
        <source>The op it was launched for.</source>
        <translation>Die Op, für die es gestartet wurde.</translation>
    </message>
    <message>
        <source>Click to sort.</source>
        <translation>Klicken sortiert.</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>1 event</source>
        <translation>1 Ereignis</translation>
    </message>
    <message>
        <source>%L1 events</source>
        <translation>%L1 Ereignisse</translation>
    </message>
    <message>
        <source>1 matching event</source>
        <translation>1 passendes Ereignis</translation>
    </message>
    <message>
        <source>%L1 matching events</source>
        <translation>%L1 passende Ereignisse</translation>
    </message>
    <message>
        <source> in the selected range</source>
        <translation> im gewählten Bereich</translation>
    </message>
    <message>
        <source>. The first %L1 are listed: select a range to see others</source>
        <translation>. Die ersten %L1 stehen hier: wähle einen Bereich, um andere zu sehen</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>Findings: what should be changed</source>
        <translation>Befunde: was zu ändern ist</translation>
    </message>
    <message>
        <source>Cards of findings</source>
        <translation>Karten der Befunde</translation>
    </message>
    <message>
        <source>Nothing worth changing was found</source>
        <translation>Nichts Lohnendes gefunden</translation>
    </message>
    <message>
        <source>Run a workload or open a .tide file to see proposed changes, with evidence and expected gain.</source>
        <translation>Starte einen Workload oder öffne eine .tide-Datei: dann stehen hier Vorschläge mit Beleg und erwartetem Gewinn.</translation>
    </message>
    <message>
        <source>No rule found anything worth changing. %1</source>
        <translation>Keine Regel fand etwas Lohnendes. %1</translation>
    </message>
    <message>
        <source>Rules that need roofs do not apply: an imported trace does not hold those of its machine.</source>
        <translation>Regeln, die Dächer brauchen, gelten nicht: eine importierte Spur enthält die ihrer Maschine nicht.</translation>
    </message>
    <message>
        <source>No rule found anything worth changing. Rules that need measured roofs do not apply to this device.</source>
        <translation>Keine Regel fand etwas Lohnendes. Regeln, die gemessene Dächer brauchen, gelten für dieses Gerät nicht.</translation>
    </message>
    <message>
        <source>No rule found a change that saves 1 % of the step.</source>
        <translation>Keine Regel fand eine Änderung, die 1 % des Schritts spart.</translation>
    </message>
    <message>
        <source>Most rules need this machine&apos;s roofs: run a probe, then record again.</source>
        <translation>Die meisten Regeln brauchen die Dächer dieser Maschine: miss sie, dann zeichne neu auf.</translation>
    </message>
    <message>
        <source>Runs the captured command with and without this change, in pairs of processes, and compares the gain with the one expected.</source>
        <translation>Führt den aufgezeichneten Befehl mit und ohne die Änderung aus, in Paaren von Prozessen, und vergleicht den Gewinn mit dem erwarteten.</translation>
    </message>
    <message>
        <source>Nothing has run yet.</source>
        <translation>Noch ist nichts gelaufen.</translation>
    </message>
    <message>
        <source>The trace names no ops, and nothing else in it calls for a change.</source>
        <translation>Die Spur nennt keine Ops, und nichts anderes in ihr verlangt eine Änderung.</translation>
    </message>
    <message>
        <source>Flame graph: arrow keys move, Enter zooms, Backspace zooms out</source>
        <translation>Flammenbild: Pfeiltasten gehen, Eingabe vergrößert, Rücktaste verkleinert</translation>
    </message>
    <message>
        <source>Everything in the range</source>
        <translation>Alles im Bereich</translation>
    </message>
    <message>
        <source> · %1 of all</source>
        <translation> · %1 von allem</translation>
    </message>
    <message>
        <source> · %1 of %2</source>
        <translation> · %1 von %2</translation>
    </message>
    <message>
        <source>Time of all equal stacks inside the range; %1 of it in itself, the rest in what it holds.</source>
        <translation>Zeit aller gleichen Stapel im Bereich; %1 davon in ihm selbst, der Rest in dem, was er enthält.</translation>
    </message>
    <message>
        <source>It ran once.</source>
        <translation>Es lief einmal.</translation>
    </message>
    <message>
        <source>It ran %L1 times.</source>
        <translation>Es lief %L1-mal.</translation>
    </message>
    <message>
        <source>all, %1</source>
        <translation>alles, %1</translation>
    </message>
    <message>
        <source>Why?</source>
        <translation>Warum?</translation>
    </message>
    <message>
        <source>Why? %1</source>
        <translation>Warum? %1</translation>
    </message>
    <message>
        <source>Handbook</source>
        <translation>Handbuch</translation>
    </message>
    <message>
        <source>Search all pages</source>
        <translation>Alle Seiten durchsuchen</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vor</translation>
    </message>
    <message>
        <source>%1 is not part of the handbook.</source>
        <translation>%1 gehört nicht zum Handbuch.</translation>
    </message>
    <message>
        <source>1 page</source>
        <translation>1 Seite</translation>
    </message>
    <message>
        <source>%1 pages</source>
        <translation>%1 Seiten</translation>
    </message>
    <message>
        <source>How these numbers were obtained and how far to trust them. Click for the explanation.</source>
        <translation>Wie diese Zahlen entstanden und wie weit man ihnen trauen kann. Klicken erklärt es.</translation>
    </message>
    <message>
        <source>low confidence: %1</source>
        <translation>wenig verlässlich: %1</translation>
    </message>
    <message>
        <source>1 message</source>
        <translation>1 Hinweis</translation>
    </message>
    <message>
        <source>%1 messages</source>
        <translation>%1 Hinweise</translation>
    </message>
    <message>
        <source>No capture</source>
        <translation>Keine Aufzeichnung</translation>
    </message>
    <message>
        <source>What helps:</source>
        <translation>Was hilft:</translation>
    </message>
    <message>
        <source>Where these numbers come from</source>
        <translation>Woher diese Zahlen kommen</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>exact or measured</source>
        <translation>exakt oder gemessen</translation>
    </message>
    <message>
        <source>modelled</source>
        <translation>modelliert</translation>
    </message>
    <message>
        <source>specified: claimed, not measured</source>
        <translation>angegeben: behauptet, nicht gemessen</translation>
    </message>
    <message>
        <source>emulated: of an emulation, not of a GPU</source>
        <translation>emuliert: einer Emulation, nicht einer GPU</translation>
    </message>
    <message>
        <source>▏ in a bar: compulsory bytes</source>
        <translation>▏ in einem Balken: zwingende Bytes</translation>
    </message>
    <message>
        <source>Open a capture or run a workload: what you select in a view is explained here.</source>
        <translation>Öffne eine Aufzeichnung oder starte einen Workload: was du in einer Ansicht wählst, wird hier erklärt.</translation>
    </message>
    <message>
        <source>Key of %1</source>
        <translation>Taste für %1</translation>
    </message>
    <message>
        <source>No key</source>
        <translation>Keine Taste</translation>
    </message>
    <message>
        <source>No key for %1</source>
        <translation>Keine Taste für %1</translation>
    </message>
    <message>
        <source>%1 is the key of “%2” and of “%3”. Choose another key for one of them.</source>
        <translation>%1 ist die Taste von „%2“ und von „%3“. Wähle für eines davon eine andere Taste.</translation>
    </message>
    <message>
        <source>Where time goes</source>
        <translation>Wohin die Zeit geht</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>Batches</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>Loops</source>
        <translation>Schleifen</translation>
    </message>
    <message>
        <source>Other chips</source>
        <translation>Andere Chips</translation>
    </message>
    <message>
        <source>Frameworks</source>
        <translation>Frameworks</translation>
    </message>
    <message>
        <source>Fusion</source>
        <translation>Fusion</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>A published table</source>
        <translation>Eine veröffentlichte Tabelle</translation>
    </message>
    <message>
        <source>beginner</source>
        <translation>Anfänger</translation>
    </message>
    <message>
        <source>intermediate</source>
        <translation>mittel</translation>
    </message>
    <message>
        <source>advanced</source>
        <translation>fortgeschritten</translation>
    </message>
    <message>
        <source>Search lessons</source>
        <translation>Lektionen suchen</translation>
    </message>
    <message>
        <source>Lessons by chapter</source>
        <translation>Lektionen nach Kapiteln</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>Lektion</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Points</source>
        <translation>Punkte</translation>
    </message>
    <message>
        <source>&amp;Start the lesson</source>
        <translation>Lektion &amp;beginnen</translation>
    </message>
    <message>
        <source>&amp;All lessons</source>
        <translation>&amp;Alle Lektionen</translation>
    </message>
    <message>
        <source>&amp;Presenter</source>
        <translation>&amp;Vortrag</translation>
    </message>
    <message>
        <source>Large type on the whole screen, with notes and a clock. B makes the screen black.</source>
        <translation>Große Schrift auf dem ganzen Bildschirm, mit Notizen und Uhr. B macht den Bildschirm schwarz.</translation>
    </message>
    <message>
        <source>Text of the lesson</source>
        <translation>Text der Lektion</translation>
    </message>
    <message>
        <source>Votes of the audience</source>
        <translation>Stimmen des Publikums</translation>
    </message>
    <message>
        <source>Votes: A 12, B 31</source>
        <translation>Stimmen: A 12, B 31</translation>
    </message>
    <message>
        <source>How the audience voted. The answer shows it again.</source>
        <translation>Wie das Publikum abstimmte. Die Antwort zeigt es wieder.</translation>
    </message>
    <message>
        <source>Your work</source>
        <translation>Deine Arbeit</translation>
    </message>
    <message>
        <source>C&amp;hoose...</source>
        <translation>&amp;Wählen...</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>&amp;Weiter</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>**%1**</source>
        <translation>**%1**</translation>
    </message>
    <message>
        <source>On this machine: **%1**</source>
        <translation>Auf dieser Maschine: **%1**</translation>
    </message>
    <message>
        <source>You made no prediction.</source>
        <translation>Du hast nichts vorhergesagt.</translation>
    </message>
    <message>
        <source>Your prediction: %1</source>
        <translation>Deine Vorhersage: %1</translation>
    </message>
    <message>
        <source> – right</source>
        <translation> – richtig</translation>
    </message>
    <message>
        <source> – not right</source>
        <translation> – nicht richtig</translation>
    </message>
    <message>
        <source>The audience:</source>
        <translation>Das Publikum:</translation>
    </message>
    <message>
        <source>## Exercise (%1 points)</source>
        <translation>## Aufgabe (%1 Punkte)</translation>
    </message>
    <message>
        <source>Begin with a copy of this file:</source>
        <translation>Beginne mit einer Kopie dieser Datei:</translation>
    </message>
    <message>
        <source>- passed: `%1`</source>
        <translation>- bestanden: `%1`</translation>
    </message>
    <message>
        <source>- failed: `%1`</source>
        <translation>- nicht bestanden: `%1`</translation>
    </message>
    <message>
        <source>**%1 of %2 points**</source>
        <translation>**%1 von %2 Punkten**</translation>
    </message>
    <message>
        <source>*Note for the presenter:*</source>
        <translation>*Notiz für den Vortrag:*</translation>
    </message>
    <message>
        <source>## Try more</source>
        <translation>## Mehr ausprobieren</translation>
    </message>
    <message>
        <source>The buttons below run the command of *%1* again with another value.</source>
        <translation>Die Knöpfe unten führen den Befehl von *%1* mit einem anderen Wert noch einmal aus.</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Schritt %1 von %2</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>&amp;Check</source>
        <translation>&amp;Prüfen</translation>
    </message>
    <message>
        <source>Run the lesson first: the check compares with it.</source>
        <translation>Starte zuerst die Läufe der Lektion: die Prüfung vergleicht mit ihnen.</translation>
    </message>
    <message>
        <source>&amp;Run again</source>
        <translation>&amp;Noch einmal</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>The runs are done.</source>
        <translation>Die Läufe sind fertig.</translation>
    </message>
    <message>
        <source>Your file</source>
        <translation>Deine Datei</translation>
    </message>
    <message>
        <source>Your value</source>
        <translation>Dein Wert</translation>
    </message>
    <message>
        <source>&amp;Commit</source>
        <translation>&amp;Festlegen</translation>
    </message>
    <message>
        <source>Committed. A prediction cannot be changed.</source>
        <translation>Festgelegt. Eine Vorhersage kann nicht geändert werden.</translation>
    </message>
    <message>
        <source>The runs are done: this question can no longer be answered.</source>
        <translation>Die Läufe sind fertig: diese Frage kann nicht mehr beantwortet werden.</translation>
    </message>
    <message>
        <source>Commit your prediction, or go on without one.</source>
        <translation>Lege deine Vorhersage fest, oder geh ohne eine weiter.</translation>
    </message>
    <message>
        <source>Running. This takes some seconds.</source>
        <translation>Läuft. Das dauert einige Sekunden.</translation>
    </message>
    <message>
        <source>Choose your file first.</source>
        <translation>Wähle zuerst deine Datei.</translation>
    </message>
    <message>
        <source>Type your value first.</source>
        <translation>Tippe zuerst deinen Wert.</translation>
    </message>
    <message>
        <source>Checking. This takes some seconds.</source>
        <translation>Wird geprüft. Das dauert einige Sekunden.</translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>The runs did not end well. %1</source>
        <translation>Die Läufe endeten nicht gut. %1</translation>
    </message>
    <message>
        <source>With %1 a step takes %2 instead of %3.</source>
        <translation>Mit %1 dauert ein Schritt %2 statt %3.</translation>
    </message>
    <message>
        <source>Setup</source>
        <translation>Einrichten</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Shows the runs of this session and recent files (F8)</source>
        <translation>Zeigt die Läufe dieser Sitzung und die letzten Dateien (F8)</translation>
    </message>
    <message>
        <source>The command of this capture holds control characters, so it is not copied.</source>
        <translation>Der Befehl dieser Aufzeichnung enthält Steuerzeichen, deshalb wird er nicht kopiert.</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>Kopiert: %1</translation>
    </message>
    <message>
        <source>%1 · imported</source>
        <translation>%1 · importiert</translation>
    </message>
    <message>
        <source>%1 · not run yet</source>
        <translation>%1 · noch nicht gelaufen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>%1, shown: %2</source>
        <translation>%1, gezeigt: %2</translation>
    </message>
    <message>
        <source>Tensortide</source>
        <translation>Tensortide</translation>
    </message>
    <message>
        <source>%1 – Tensortide</source>
        <translation>%1 – Tensortide</translation>
    </message>
    <message>
        <source>The new size is used from the next start on.</source>
        <translation>Die neue Größe gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>Jetzt neu starten</translation>
    </message>
    <message>
        <source>Workload: %1</source>
        <translation>Workload: %1</translation>
    </message>
    <message>
        <source>Capture: %1</source>
        <translation>Aufzeichnung: %1</translation>
    </message>
    <message>
        <source>Op: %1</source>
        <translation>Op: %1</translation>
    </message>
    <message>
        <source>Setting: %1</source>
        <translation>Einstellung: %1</translation>
    </message>
    <message>
        <source>Memory: bytes alive over the step</source>
        <translation>Speicher: lebende Bytes über den Schritt</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Live bytes</source>
        <translation>Lebende Bytes</translation>
    </message>
    <message>
        <source>Arena map</source>
        <translation>Karte der Arena</translation>
    </message>
    <message>
        <source>Bytes alive while each op runs, stacked by role</source>
        <translation>Bytes, die leben, während jede Op läuft, gestapelt nach Rolle</translation>
    </message>
    <message>
        <source>Bytes of the arena by tensor, over time. Boxes above one another share the same time; boxes beside one another reuse the same bytes</source>
        <translation>Bytes der Arena nach Tensor, über der Zeit. Kästen übereinander teilen sich dieselbe Zeit; Kästen nebeneinander nutzen dieselben Bytes wieder</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Memory picture</source>
        <translation>Bild des Speichers</translation>
    </message>
    <message>
        <source>Tensors alive at the peak, largest first</source>
        <translation>Tensoren, die an der Spitze leben, der größte zuerst</translation>
    </message>
    <message>
        <source>Nothing is alive.</source>
        <translation>Nichts lebt.</translation>
    </message>
    <message>
        <source>Peak %1</source>
        <translation>Spitze %1</translation>
    </message>
    <message>
        <source>At the peak: 1 tensor</source>
        <translation>An der Spitze: 1 Tensor</translation>
    </message>
    <message>
        <source>At the peak: %1 tensors</source>
        <translation>An der Spitze: %1 Tensoren</translation>
    </message>
    <message>
        <source>always</source>
        <translation>immer</translation>
    </message>
    <message>
        <source>Memory of the step</source>
        <translation>Speicher des Schritts</translation>
    </message>
    <message>
        <source>Pool: memory that an eager run has reserved from the device, in segments larger than its values. The sum of a step&apos;s values is given too. </source>
        <translation>Pool: Speicher, den ein Eager-Lauf vom Gerät reserviert hat, in Segmenten, die größer sind als seine Werte. Auch die Summe der Werte eines Schritts steht da. </translation>
    </message>
    <message>
        <source>Arena: one block in which tensors of the step take turns, planned before the run. Without reuse: what it would take if each tensor had bytes of its own. </source>
        <translation>Arena: ein Block, den sich Tensoren des Schritts nacheinander teilen, vor dem Lauf geplant. Ohne Wiederverwendung: was es bräuchte, wenn jeder Tensor eigene Bytes hätte. </translation>
    </message>
    <message>
        <source>Persistent: weights, optimiser state, inputs. Workspace: scratch memory of kernels.</source>
        <translation>Bleibend: Gewichte, Zustand des Optimierers, Eingaben. Zwischenspeicher: Arbeitsspeicher der Kernel.</translation>
    </message>
    <message>
        <source>live = persistent + workspace + tensors between their first and last op</source>
        <translation>lebend = bleibend + Zwischenspeicher + Tensoren zwischen ihrer ersten und letzten Op</translation>
    </message>
    <message>
        <source>%1 alive</source>
        <translation>%1 leben</translation>
    </message>
    <message>
        <source>Bytes alive while this op runs.</source>
        <translation>Bytes, die leben, während diese Op läuft.</translation>
    </message>
    <message>
        <source>Run a workload or open a .tide file: then this shows which tensors fill the memory, and when.</source>
        <translation>Starte einen Workload oder öffne eine .tide-Datei: dann zeigt dies, welche Tensoren den Speicher füllen, und wann.</translation>
    </message>
    <message>
        <source>Memory is not in the trace</source>
        <translation>Speicher steht nicht in der Spur</translation>
    </message>
    <message>
        <source>The trace holds neither live tensors nor allocations. PyTorch records them with profile_memory=True.</source>
        <translation>Die Spur enthält weder lebende Tensoren noch Belegungen. PyTorch zeichnet sie mit profile_memory=True auf.</translation>
    </message>
    <message>
        <source>No ops in this capture</source>
        <translation>Keine Ops in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>The run ended before its plan was recorded, so nothing is known of its memory.</source>
        <translation>Der Lauf endete, bevor sein Plan aufgezeichnet war, also ist von seinem Speicher nichts bekannt.</translation>
    </message>
    <message>
        <source>The run ended before its plan was recorded.</source>
        <translation>Der Lauf endete, bevor sein Plan aufgezeichnet war.</translation>
    </message>
    <message>
        <source>The trace holds neither tensors nor allocations.</source>
        <translation>Die Spur enthält weder Tensoren noch Belegungen.</translation>
    </message>
    <message>
        <source>Close the message</source>
        <translation>Den Hinweis schließen</translation>
    </message>
    <message>
        <source>Open all</source>
        <translation>Alle öffnen</translation>
    </message>
    <message>
        <source>Close all</source>
        <translation>Alle schließen</translation>
    </message>
    <message>
        <source>Tape</source>
        <translation>Band</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Network: layers, ops and the tensors between them</source>
        <translation>Netz: Schichten, Ops und die Tensoren dazwischen</translation>
    </message>
    <message>
        <source>Network picture</source>
        <translation>Bild des Netzes</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>Durchgänge</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Rückwärts</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Update</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>The passes of a step beside one another, each layer in one row</source>
        <translation>Die Durchgänge eines Schritts nebeneinander, jede Schicht in einer Zeile</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>Farbe</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>FLOPs</source>
        <translation>FLOPs</translation>
    </message>
    <message>
        <source>Time of each box per step</source>
        <translation>Zeit jedes Kastens je Schritt</translation>
    </message>
    <message>
        <source>Bytes of each box to and from the outermost memory</source>
        <translation>Bytes jedes Kastens vom und zum äußersten Speicher</translation>
    </message>
    <message>
        <source>What limits most of the time of each box</source>
        <translation>Was die meiste Zeit jedes Kastens begrenzt</translation>
    </message>
    <message>
        <source>The data type that most operand bytes of each box have</source>
        <translation>Der Datentyp, den die meisten Bytes der Operanden jedes Kastens haben</translation>
    </message>
    <message>
        <source>FLOPs of each box per step</source>
        <translation>FLOPs jedes Kastens je Schritt</translation>
    </message>
    <message>
        <source>Open all layers</source>
        <translation>Alle Schichten öffnen</translation>
    </message>
    <message>
        <source>Close all layers</source>
        <translation>Alle Schichten schließen</translation>
    </message>
    <message>
        <source>Steps through the ops: what each stores and frees, and what the backward pass needs</source>
        <translation>Geht durch die Ops: was jede ablegt und freigibt, und was der Rückwärtsdurchgang braucht</translation>
    </message>
    <message>
        <source>Find op or layer  ( / )</source>
        <translation>Op oder Schicht suchen  ( / )</translation>
    </message>
    <message>
        <source>Find an op or a layer</source>
        <translation>Eine Op oder Schicht suchen</translation>
    </message>
    <message>
        <source>Enter: next match, Shift+Enter: previous, Esc: back to the network</source>
        <translation>Eingabe: nächster Treffer, Umschalt+Eingabe: voriger, Esc: zurück zum Netz</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Pan left</source>
        <translation>Nach links schieben</translation>
    </message>
    <message>
        <source>Pan right</source>
        <translation>Nach rechts schieben</translation>
    </message>
    <message>
        <source>Page up</source>
        <translation>Seite hinauf</translation>
    </message>
    <message>
        <source>Page down</source>
        <translation>Seite hinunter</translation>
    </message>
    <message>
        <source>Box at the left</source>
        <translation>Kasten links</translation>
    </message>
    <message>
        <source>Box at the right</source>
        <translation>Kasten rechts</translation>
    </message>
    <message>
        <source>Box above</source>
        <translation>Kasten darüber</translation>
    </message>
    <message>
        <source>Box below</source>
        <translation>Kasten darunter</translation>
    </message>
    <message>
        <source>Open or close the layer</source>
        <translation>Die Schicht öffnen oder schließen</translation>
    </message>
    <message>
        <source>Fit all</source>
        <translation>Alles einpassen</translation>
    </message>
    <message>
        <source>Fit selection</source>
        <translation>Auswahl einpassen</translation>
    </message>
    <message>
        <source>Find in the network</source>
        <translation>Im Netz suchen</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Run a workload or open a .tide file: then this shows its layers and the tensors between them.</source>
        <translation>Starte einen Workload oder öffne eine .tide-Datei: dann stehen hier seine Schichten und die Tensoren dazwischen.</translation>
    </message>
    <message>
        <source>No network in this capture</source>
        <translation>Kein Netz in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>Laying out %L1 ops…</source>
        <translation>%L1 Ops werden angeordnet…</translation>
    </message>
    <message>
        <source>Compulsory bytes of each box: every operand byte of every op once</source>
        <translation>Zwingende Bytes jedes Kastens: jedes Byte jedes Operanden jeder Op einmal</translation>
    </message>
    <message>
        <source>%1 in %2, %3</source>
        <translation>%1 in %2, %3</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 Schicht</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 Schichten</translation>
    </message>
    <message>
        <source>1 edge</source>
        <translation>1 Kante</translation>
    </message>
    <message>
        <source>%1 edges</source>
        <translation>%1 Kanten</translation>
    </message>
    <message>
        <source>; selected: %1, %2</source>
        <translation>; gewählt: %1, %2</translation>
    </message>
    <message>
        <source>, open</source>
        <translation>, offen</translation>
    </message>
    <message>
        <source>, closed</source>
        <translation>, geschlossen</translation>
    </message>
    <message>
        <source>no match</source>
        <translation>kein Treffer</translation>
    </message>
    <message>
        <source>%L1 found</source>
        <translation>%L1 gefunden</translation>
    </message>
    <message>
        <source>%L1 of %L2</source>
        <translation>%L1 von %L2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Time: %1, %2 of the step</source>
        <translation>Zeit: %1, %2 des Schritts</translation>
    </message>
    <message>
        <source>Compulsory bytes: %1</source>
        <translation>Zwingende Bytes: %1</translation>
    </message>
    <message>
        <source>Bytes through %1: %2 (%3)</source>
        <translation>Bytes durch %1: %2 (%3)</translation>
    </message>
    <message>
        <source>FLOPs: %1</source>
        <translation>FLOPs: %1</translation>
    </message>
    <message>
        <source>Limit: %1</source>
        <translation>Grenze: %1</translation>
    </message>
    <message>
        <source>Data type: %1</source>
        <translation>Datentyp: %1</translation>
    </message>
    <message>
        <source>Weights: %1</source>
        <translation>Gewichte: %1</translation>
    </message>
    <message>
        <source>A layer with all layers inside it. Double click opens or closes it.</source>
        <translation>Eine Schicht mit allen Schichten darin. Doppelklick öffnet oder schließt sie.</translation>
    </message>
    <message>
        <source>One op of the step.</source>
        <translation>Eine Op des Schritts.</translation>
    </message>
    <message>
        <source>%1 read</source>
        <translation>%1 gelesen</translation>
    </message>
    <message>
        <source>%1 tensors; the largest is %2</source>
        <translation>%1 Tensoren; der größte ist %2</translation>
    </message>
    <message>
        <source>%1 %2, %3</source>
        <translation>%1 %2, %3</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>Skalar</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>Bytes that the second reads of what the first wrote, each operand once. Views move nothing: 0 B.</source>
        <translation>Bytes, die die zweite von dem liest, was die erste schrieb, jeder Operand einmal. Sichten bewegen nichts: 0 B.</translation>
    </message>
    <message>
        <source>Ops</source>
        <translation>Ops</translation>
    </message>
    <message>
        <source>Ops: table of all ops</source>
        <translation>Ops: Tabelle aller Ops</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Fused</source>
        <translation>Verschmolzen</translation>
    </message>
    <message>
        <source>Ops computed as one: their members, the bytes spared, and the gain predicted. With the same run without fusion in Compare: the gain obtained</source>
        <translation>Ops, die als eine gerechnet werden: ihre Glieder, die gesparten Bytes und der vorhergesagte Gewinn. Mit demselben Lauf ohne Fusion im Vergleich: der erreichte Gewinn</translation>
    </message>
    <message>
        <source>The fusion ledger: each value that one op writes and another reads, whether the two are fused, and if not why</source>
        <translation>Das Fusionsbuch: jeder Wert, den eine Op schreibt und eine andere liest, ob beide verschmolzen sind, und wenn nicht, warum</translation>
    </message>
    <message>
        <source>Filter (Ctrl+F)</source>
        <translation>Filter (Strg+F)</translation>
    </message>
    <message>
        <source>Rows that have all these words in their name, type, kernel or verdict</source>
        <translation>Zeilen, die alle diese Wörter in Name, Typ, Kernel oder Urteil haben</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Ops table</source>
        <translation>Tabelle der Ops</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>choose rows</source>
        <translation>Zeilen wählen</translation>
    </message>
    <message>
        <source>The medians of the ops shown, summed. The median step above also holds what passes between ops, and medians need not add up to it.</source>
        <translation>Die Summe der Mediane der gezeigten Ops. Der mittlere Schritt oben enthält auch, was zwischen Ops vergeht, und Mediane ergeben ihn nicht unbedingt.</translation>
    </message>
    <message>
        <source>nothing to fuse is known</source>
        <translation>nichts zu verschmelzen ist bekannt</translation>
    </message>
    <message>
        <source>%1 of %2 pairs fused, %3 spared</source>
        <translation>%1 von %2 Paaren verschmolzen, %3 gespart</translation>
    </message>
    <message>
        <source>nothing is fused; %1 could be spared</source>
        <translation>nichts ist verschmolzen; %1 ließen sich sparen</translation>
    </message>
    <message>
        <source>The trace names no ops. The Timeline shows what it recorded.</source>
        <translation>Die Spur nennt keine Ops. Die Zeitleiste zeigt, was sie aufgezeichnet hat.</translation>
    </message>
    <message>
        <source>Run a workload or open a .tide file: then each op is a row with its time, work, bytes and verdict.</source>
        <translation>Starte einen Workload oder öffne eine .tide-Datei: dann ist jede Op eine Zeile mit Zeit, Arbeit, Bytes und Urteil.</translation>
    </message>
    <message>
        <source>The trace names no ops.</source>
        <translation>Die Spur nennt keine Ops.</translation>
    </message>
    <message>
        <source>Divider between picture and table</source>
        <translation>Trennlinie zwischen Bild und Tabelle</translation>
    </message>
    <message>
        <source>Drag to resize, or press Up and Down. Double-click for the usual size.</source>
        <translation>Ziehen ändert die Größe, oder Auf und Ab. Doppelklick für die übliche Größe.</translation>
    </message>
    <message>
        <source>A tensor lies in the memory of one device, which computes with it. Bytes move only where a line asks for it, with one exception: 0-d tensors.</source>
        <translation>Ein Tensor liegt im Speicher eines Geräts, das mit ihm rechnet. Bytes bewegen sich nur, wo eine Zeile es verlangt, mit einer Ausnahme: 0-d-Tensoren.</translation>
    </message>
    <message>
        <source>A line to run</source>
        <translation>Eine Zeile zum Ausführen</translation>
    </message>
    <message>
        <source>Run line</source>
        <translation>Zeile ausführen</translation>
    </message>
    <message>
        <source>What the last line did</source>
        <translation>Was die letzte Zeile tat</translation>
    </message>
    <message>
        <source>Runs the line with the copy that is missing</source>
        <translation>Führt die Zeile mit der fehlenden Kopie aus</translation>
    </message>
    <message>
        <source>Devices and the tensors on them</source>
        <translation>Geräte und die Tensoren auf ihnen</translation>
    </message>
    <message>
        <source>Lines so far</source>
        <translation>Bisherige Zeilen</translation>
    </message>
    <message>
        <source>The playground ended: %1. The next line starts it again.</source>
        <translation>Die Spielwiese endete: %1. Die nächste Zeile startet sie neu.</translation>
    </message>
    <message>
        <source>The playground ended. The next line starts it again.</source>
        <translation>Die Spielwiese endete. Die nächste Zeile startet sie neu.</translation>
    </message>
    <message>
        <source>%1:
%2</source>
        <translation>%1:
%2</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>Neu beginnen</translation>
    </message>
    <message>
        <source>Forgets all tensors</source>
        <translation>Vergisst alle Tensoren</translation>
    </message>
    <message>
        <source>Refused: %1</source>
        <translation>Verweigert: %1</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>line</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Add the copy: %1</source>
        <translation>Die Kopie ergänzen: %1</translation>
    </message>
    <message>
        <source>%1%2 %3 · %4</source>
        <translation>%1%2 %3 · %4</translation>
    </message>
    <message>
        <source>module, </source>
        <translation>Modul, </translation>
    </message>
    <message>
        <source>%L1 B</source>
        <translation>%L1 B</translation>
    </message>
    <message>
        <source>%L1 B, unasked</source>
        <translation>%L1 B, unverlangt</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>Cells</source>
        <translation>Zellen</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>Ranking</source>
        <translation>Rangliste</translation>
    </message>
    <message>
        <source>Table 7 of Shi et al. 2016</source>
        <translation>Tabelle 7 von Shi et al. 2016</translation>
    </message>
    <message>
        <source>All networks, or one of them</source>
        <translation>Alle Netze, oder eines davon</translation>
    </message>
    <message>
        <source>All networks</source>
        <translation>Alle Netze</translation>
    </message>
    <message>
        <source>Platform</source>
        <translation>Plattform</translation>
    </message>
    <message>
        <source>Processor or GPU whose tools are ranked</source>
        <translation>Prozessor oder GPU, deren Werkzeuge gereiht werden</translation>
    </message>
    <message>
        <source>Table 7 of %1. Seconds of one training step (specified), read from %2.</source>
        <translation>Tabelle 7 von %1. Sekunden eines Trainingsschritts (angegeben), gelesen aus %2.</translation>
    </message>
    <message>
        <source>The selected cell</source>
        <translation>Die gewählte Zelle</translation>
    </message>
    <message>
        <source>Cells of the table; arrow keys choose one</source>
        <translation>Zellen der Tabelle; Pfeiltasten wählen eine</translation>
    </message>
    <message>
        <source>Choose a cell to see how it was read, what it implies, and why it stays out of rankings.</source>
        <translation>Wähle eine Zelle, um zu sehen, wie sie gelesen wurde, was daraus folgt und warum sie in keiner Rangliste steht.</translation>
    </message>
    <message>
        <source>Measured here</source>
        <translation>Hier gemessen</translation>
    </message>
    <message>
        <source>Time with one thread / time</source>
        <translation>Zeit mit einem Thread / Zeit</translation>
    </message>
    <message>
        <source>Speed-up over one thread. Dashed, ×: not like for like. Dotted: ideal. At the foot: – gaps, × doubtful.</source>
        <translation>Beschleunigung gegenüber einem Thread. Gestrichelt, ×: nicht vergleichbar. Gepunktet: ideal. Am Fuß: – Lücken, × zweifelhaft.</translation>
    </message>
    <message>
        <source>Not here: %1</source>
        <translation>Nicht hier: %1</translation>
    </message>
    <message>
        <source>%1 What helps: %2</source>
        <translation>%1 Was hilft: %2</translation>
    </message>
    <message>
        <source>Not on the device %1. Choose another device under How to run.</source>
        <translation>Nicht auf dem Gerät %1. Wähle ein anderes Gerät unter „Wie es läuft“.</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Commands and keys</source>
        <translation>Befehle und Tasten</translation>
    </message>
    <message>
        <source>Search commands by name, place or key</source>
        <translation>Befehle nach Name, Ort oder Taste suchen</translation>
    </message>
    <message>
        <source>Search commands</source>
        <translation>Befehle suchen</translation>
    </message>
    <message>
        <source>Change keys…</source>
        <translation>Tasten ändern…</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>Gespeichert in %1</translation>
    </message>
    <message>
        <source>%1 could not be written: %2</source>
        <translation>%1 konnte nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>Als CSV kopieren</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>Als CSV speichern…</translation>
    </message>
    <message>
        <source>Save as CSV</source>
        <translation>Als CSV speichern</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>1 row</source>
        <translation>1 Zeile</translation>
    </message>
    <message>
        <source>%1 rows</source>
        <translation>%1 Zeilen</translation>
    </message>
    <message>
        <source>median step %1</source>
        <translation>Median des Schritts %1</translation>
    </message>
    <message>
        <source>batch %1</source>
        <translation>Batch %1</translation>
    </message>
    <message>
        <source>1 thread</source>
        <translation>1 Thread</translation>
    </message>
    <message>
        <source>%1 threads</source>
        <translation>%1 Threads</translation>
    </message>
    <message>
        <source>All that can be opened (%1 %2 *.onnx *.md %3)</source>
        <translation>Alles, was sich öffnen lässt (%1 %2 *.onnx *.md %3)</translation>
    </message>
    <message>
        <source>Captures and sweeps (%1)</source>
        <translation>Aufzeichnungen und Messreihen (%1)</translation>
    </message>
    <message>
        <source>Traces of other tools (%1)</source>
        <translation>Spuren anderer Programme (%1)</translation>
    </message>
    <message>
        <source>ONNX models and networks in JSON (%1)</source>
        <translation>ONNX-Modelle und Netze in JSON (%1)</translation>
    </message>
    <message>
        <source>Pictures, as tensors (%1)</source>
        <translation>Bilder, als Tensoren (%1)</translation>
    </message>
    <message>
        <source>Lessons (%1)</source>
        <translation>Lektionen (%1)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Steps with and without tracing alternate in one run; the cost is the median traced step by the median untraced step, minus one.</source>
        <translation>Schritte mit und ohne Aufzeichnung wechseln in einem Lauf ab; die Kosten sind der Median der aufgezeichneten durch den der anderen, weniger eins.</translation>
    </message>
    <message>
        <source>profiling cost –</source>
        <translation>Kosten des Profilings –</translation>
    </message>
    <message>
        <source> It was not measured in this run.</source>
        <translation> In diesem Lauf wurden sie nicht gemessen.</translation>
    </message>
    <message>
        <source>Record more steps.</source>
        <translation>Zeichne mehr Schritte auf.</translation>
    </message>
    <message>
        <source>profiling cost within noise, ± %1</source>
        <translation>Kosten des Profilings im Rauschen, ± %1</translation>
    </message>
    <message>
        <source> Here the figure, %1, is smaller than its noise or below zero: no cost can be seen.</source>
        <translation> Hier ist die Zahl, %1, kleiner als ihr Rauschen oder unter null: keine Kosten sind zu sehen.</translation>
    </message>
    <message>
        <source>profiling cost %1</source>
        <translation>Kosten des Profilings %1</translation>
    </message>
    <message>
        <source> ± %1</source>
        <translation> ± %1</translation>
    </message>
    <message>
        <source>profiling cost</source>
        <translation>Kosten des Profilings</translation>
    </message>
    <message>
        <source>Use larger ops (a bigger batch), or read times as upper bounds.</source>
        <translation>Nimm größere Ops (einen größeren Batch), oder lies Zeiten als obere Grenzen.</translation>
    </message>
    <message>
        <source>The steps vary too much. Close other programs and record more steps.</source>
        <translation>Die Schritte schwanken zu sehr. Schließe andere Programme und zeichne mehr Schritte auf.</translation>
    </message>
    <message>
        <source> As a cross-check, ops times the calibrated cost of tracing one op is %1 of a step.</source>
        <translation> Zur Gegenprobe: Ops mal die geeichten Kosten je Op sind %1 eines Schritts.</translation>
    </message>
    <message>
        <source>%1 events</source>
        <translation>%1 Ereignisse</translation>
    </message>
    <message>
        <source>%1 left out</source>
        <translation>%1 ausgelassen</translation>
    </message>
    <message>
        <source>%1 dropped</source>
        <translation>%1 verloren</translation>
    </message>
    <message>
        <source>A fixed spin loop is timed before and after the run; if its rate changes, the processor&apos;s frequency changed or there was background load.</source>
        <translation>Eine feste Schleife wird vor und nach dem Lauf gemessen; ändert sich ihr Tempo, änderte sich der Takt, oder andere Programme liefen.</translation>
    </message>
    <message>
        <source>clocks –</source>
        <translation>Takt –</translation>
    </message>
    <message>
        <source>clocks drifted %1</source>
        <translation>Takt wanderte um %1</translation>
    </message>
    <message>
        <source>clocks steady</source>
        <translation>Takt stetig</translation>
    </message>
    <message>
        <source> It changed by %1.</source>
        <translation> Er änderte sich um %1.</translation>
    </message>
    <message>
        <source>Close other programs, let the machine settle and record again.</source>
        <translation>Schließe andere Programme, lass die Maschine zur Ruhe kommen und zeichne neu auf.</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>Takt</translation>
    </message>
    <message>
        <source>step times noisy</source>
        <translation>Schritte schwanken</translation>
    </message>
    <message>
        <source>threads queued</source>
        <translation>Threads warteten</translation>
    </message>
    <message>
        <source>step times</source>
        <translation>Zeiten der Schritte</translation>
    </message>
    <message>
        <source>The median step is between %1 and %2 (95 % interval), and gains of findings are as rough.</source>
        <translation>Der Median des Schritts liegt zwischen %1 und %2 (95-%-Intervall), und Gewinne der Befunde sind ebenso grob.</translation>
    </message>
    <message>
        <source>Close other programs and record again.</source>
        <translation>Schließe andere Programme und zeichne neu auf.</translation>
    </message>
    <message>
        <source>not run yet: shapes, FLOPs, bytes and memory are exact</source>
        <translation>noch nicht gelaufen: Formen, FLOPs, Bytes und Speicher sind exakt</translation>
    </message>
    <message>
        <source>This is the plan of a step. Its graph gives shapes, FLOPs and compulsory bytes, its memory plan the bytes of tensors. Nothing was measured.</source>
        <translation>Dies ist der Plan eines Schritts. Sein Graph gibt Formen, FLOPs und zwingende Bytes, sein Speicherplan die Bytes der Tensoren. Nichts wurde gemessen.</translation>
    </message>
    <message>
        <source>Run it to measure times.</source>
        <translation>Starte ihn, um Zeiten zu messen.</translation>
    </message>
    <message>
        <source>incomplete run</source>
        <translation>unvollständiger Lauf</translation>
    </message>
    <message>
        <source>The run ended early: %1. What was recorded until then is here.</source>
        <translation>Der Lauf endete früh: %1. Was bis dahin aufgezeichnet wurde, ist hier.</translation>
    </message>
    <message>
        <source>Run it again to the end.</source>
        <translation>Starte ihn noch einmal bis zum Ende.</translation>
    </message>
    <message>
        <source>times of an imported trace</source>
        <translation>Zeiten einer importierten Spur</translation>
    </message>
    <message>
        <source>%1: times are its own. FLOPs and compulsory bytes are counted from the shapes it recorded, where it recorded them; bytes per memory level are unknown.</source>
        <translation>%1: die Zeiten sind seine. FLOPs und zwingende Bytes sind aus den Formen gezählt, wo es sie aufzeichnete; Bytes je Speicherebene sind unbekannt.</translation>
    </message>
    <message>
        <source>times emulated</source>
        <translation>Zeiten emuliert</translation>
    </message>
    <message>
        <source>Times are those of an emulated GPU, not of a GPU: rates are unknown. FLOPs and compulsory bytes are counted from shapes (exact).</source>
        <translation>Die Zeiten sind die einer emulierten GPU, nicht einer GPU: Raten sind unbekannt. FLOPs und zwingende Bytes sind aus Formen gezählt (exakt).</translation>
    </message>
    <message>
        <source>times measured, bytes %1</source>
        <translation>Zeiten gemessen, Bytes %1</translation>
    </message>
    <message>
        <source>Times are measured per op. FLOPs and compulsory bytes are counted from shapes (exact). </source>
        <translation>Zeiten sind je Op gemessen. FLOPs und zwingende Bytes sind aus Formen gezählt (exakt). </translation>
    </message>
    <message>
        <source>Bytes per memory level were counted by the hardware.</source>
        <translation>Bytes je Speicherebene hat die Hardware gezählt.</translation>
    </message>
    <message>
        <source>Bytes per memory level come from a simulation of each op&apos;s loops on this machine&apos;s caches.</source>
        <translation>Bytes je Speicherebene stammen aus einer Simulation der Schleifen jeder Op in den Caches dieser Maschine.</translation>
    </message>
    <message>
        <source>Bytes per memory level come from a model of the caches. --collect simulate simulates them; --collect perf counts them where the system allows it.</source>
        <translation>Bytes je Speicherebene stammen aus einem Modell der Caches. --collect simulate simuliert sie; --collect perf zählt sie, wo das System es erlaubt.</translation>
    </message>
    <message>
        <source>roofs measured</source>
        <translation>Dächer gemessen</translation>
    </message>
    <message>
        <source>Peak arithmetic and bandwidths were measured on this machine at %1.</source>
        <translation>Rechenspitze und Bandbreiten wurden auf dieser Maschine um %1 gemessen.</translation>
    </message>
    <message>
        <source>low-confidence roofs</source>
        <translation>wenig verlässliche Dächer</translation>
    </message>
    <message>
        <source> DRAM&apos;s bandwidth was measured again before and after the run, and had not moved.</source>
        <translation> Die Bandbreite des DRAM wurde vor und nach dem Lauf erneut gemessen und hatte sich nicht geändert.</translation>
    </message>
    <message>
        <source>DRAM&apos;s roof moved</source>
        <translation>Dach des DRAM wanderte</translation>
    </message>
    <message>
        <source>DRAM&apos;s roof unsteady</source>
        <translation>Dach des DRAM unstet</translation>
    </message>
    <message>
        <source>roofs</source>
        <translation>Dächer</translation>
    </message>
    <message>
        <source>roofs specified</source>
        <translation>Dächer angegeben</translation>
    </message>
    <message>
        <source>An imported trace does not hold the roofs of its GPU. Peaks and bandwidth are those of its data sheet.</source>
        <translation>Eine importierte Spur enthält die Dächer ihrer GPU nicht. Spitzen und Bandbreite sind die ihres Datenblatts.</translation>
    </message>
    <message>
        <source>roofs unknown</source>
        <translation>Dächer unbekannt</translation>
    </message>
    <message>
        <source>An imported trace does not hold the roofs of its machine; figures that need them are unknown.</source>
        <translation>Eine importierte Spur enthält die Dächer ihrer Maschine nicht; Zahlen, die sie brauchen, sind unbekannt.</translation>
    </message>
    <message>
        <source>no roofs</source>
        <translation>keine Dächer</translation>
    </message>
    <message>
        <source>Peaks and bandwidth of the GPU are those of its data sheet.</source>
        <translation>Spitzen und Bandbreite der GPU sind die ihres Datenblatts.</translation>
    </message>
    <message>
        <source>Roofs of %1 are not measured; figures that need them are unknown.</source>
        <translation>Dächer von %1 sind nicht gemessen; Zahlen, die sie brauchen, sind unbekannt.</translation>
    </message>
    <message>
        <source>This machine was not probed before the run: roofs, cache sizes and everything computed from them are unknown.</source>
        <translation>Diese Maschine wurde vor dem Lauf nicht vermessen: Dächer, Größen der Caches und alles daraus ist unbekannt.</translation>
    </message>
    <message>
        <source>Choose “Tools &gt; Measure the roofs”, then record again.</source>
        <translation>Wähle „Werkzeuge &gt; Die Dächer messen“, dann zeichne neu auf.</translation>
    </message>
    <message>
        <source>message</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>An imported trace does not hold the cost of recording it.</source>
        <translation>Eine importierte Spur enthält nicht, was ihre Aufzeichnung kostete.</translation>
    </message>
    <message>
        <source>Events of the trace of kinds that are not shown, or that could not be read; see the messages.</source>
        <translation>Ereignisse der Spur von Arten, die nicht gezeigt werden oder nicht lesbar waren; siehe die Hinweise.</translation>
    </message>
    <message>
        <source>Records that did not fit into the buffers and are missing here.</source>
        <translation>Einträge, die nicht in die Puffer passten und hier fehlen.</translation>
    </message>
    <message>
        <source>Record fewer steps.</source>
        <translation>Zeichne weniger Schritte auf.</translation>
    </message>
    <message>
        <source>Measuring the roofs of this machine</source>
        <translation>Die Dächer dieser Maschine werden gemessen</translation>
    </message>
    <message>
        <source>Sweep of %1</source>
        <translation>Messreihe von %1</translation>
    </message>
    <message>
        <source>Trying a change of %1</source>
        <translation>Eine Änderung von %1 wird versucht</translation>
    </message>
    <message>
        <source>Importing %1</source>
        <translation>%1 wird importiert</translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation>%1 wird exportiert</translation>
    </message>
    <message>
        <source>Running %1</source>
        <translation>%1 läuft</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Aufzeichnung läuft</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1:%2 min</source>
        <translation>%1:%2 min</translation>
    </message>
    <message>
        <source>about %1 left</source>
        <translation>noch etwa %1</translation>
    </message>
    <message>
        <source>The run</source>
        <translation>Der Lauf</translation>
    </message>
    <message>
        <source>The trace</source>
        <translation>Die Spur</translation>
    </message>
    <message>
        <source>The sweep</source>
        <translation>Die Messreihe</translation>
    </message>
    <message>
        <source>The comparison</source>
        <translation>Der Vergleich</translation>
    </message>
    <message>
        <source>%1, point %2</source>
        <translation>%1, Punkt %2</translation>
    </message>
    <message>
        <source>sweep %1</source>
        <translation>Messreihe %1</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Scale of texts and controls</source>
        <translation>Größe von Texten und Bedienung</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Units of bytes: MB or MiB</source>
        <translation>Einheiten der Bytes: MB oder MiB</translation>
    </message>
    <message>
        <source>Open the last session at the start</source>
        <translation>Die letzte Sitzung beim Start öffnen</translation>
    </message>
    <message>
        <source>Folder of captures</source>
        <translation>Ordner der Aufzeichnungen</translation>
    </message>
    <message>
        <source>Folder of exports and reports</source>
        <translation>Ordner für Exporte und Berichte</translation>
    </message>
    <message>
        <source>Keys of all commands</source>
        <translation>Tasten aller Befehle</translation>
    </message>
    <message>
        <source>%1 (not here)</source>
        <translation>%1 (nicht hier)</translation>
    </message>
    <message>
        <source>%1: &quot;%2&quot; is not a whole number</source>
        <translation>%1: „%2“ ist keine ganze Zahl</translation>
    </message>
    <message>
        <source>%1: %2 is out of range, %3 to %4</source>
        <translation>%1: %2 liegt nicht zwischen %3 und %4</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>Größe des Batches</translation>
    </message>
    <message>
        <source>Fusion: eager mode runs each op before the next exists; choose the static graph</source>
        <translation>Fusion: der Eager-Modus führt jede Op aus, bevor es die nächste gibt; wähle den statischen Graphen</translation>
    </message>
    <message>
        <source>Learn the machine</source>
        <translation>Die Maschine kennenlernen</translation>
    </message>
    <message>
        <source>Long arrays, hardly any arithmetic: how fast is each memory level?</source>
        <translation>Lange Felder, kaum Arithmetik: wie schnell ist jede Speicherebene?</translation>
    </message>
    <message>
        <source>One matrix multiplication: how fast is the arithmetic?</source>
        <translation>Ein Matrixprodukt: wie schnell ist die Arithmetik?</translation>
    </message>
    <message>
        <source>Networks</source>
        <translation>Netze</translation>
    </message>
    <message>
        <source>Arithmetic limits convolutions, memory the rest.</source>
        <translation>Arithmetik begrenzt die Faltungen, Speicher den Rest.</translation>
    </message>
    <message>
        <source>Attention moves the square of the sequence, unless it is fused.</source>
        <translation>Attention bewegt das Quadrat der Sequenz, wenn sie nicht verschmolzen ist.</translation>
    </message>
    <message>
        <source>A larger batch uses each weight more often.</source>
        <translation>Ein größerer Batch nutzt jedes Gewicht öfter.</translation>
    </message>
    <message>
        <source>A training step on a CPU</source>
        <translation>Ein Trainingsschritt auf einer CPU</translation>
    </message>
    <message>
        <source>transformer, with simulated caches</source>
        <translation>Transformer, mit simulierten Caches</translation>
    </message>
    <message>
        <source>A trace of a GPU</source>
        <translation>Eine Spur einer GPU</translation>
    </message>
    <message>
        <source>BERT in PyTorch on an H100, imported</source>
        <translation>BERT in PyTorch auf einer H100, importiert</translation>
    </message>
    <message>
        <source>A sweep over batch sizes</source>
        <translation>Eine Messreihe über Batchgrößen</translation>
    </message>
    <message>
        <source>perceptron, batch 1 to 128</source>
        <translation>Perzeptron, Batch 1 bis 128</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>Ein Modell öffnen…</translation>
    </message>
    <message>
        <source>Runs an ONNX file, or a network described in JSON, and shows where its time and bytes go.</source>
        <translation>Führt eine ONNX-Datei oder ein Netz in JSON aus und zeigt, wohin Zeit und Bytes gehen.</translation>
    </message>
    <message>
        <source>Your model</source>
        <translation>Dein Modell</translation>
    </message>
    <message>
        <source>An ONNX file, or a network described in JSON.</source>
        <translation>Eine ONNX-Datei oder ein Netz in JSON.</translation>
    </message>
    <message>
        <source>today %1</source>
        <translation>heute %1</translation>
    </message>
    <message>
        <source>yesterday %1</source>
        <translation>gestern %1</translation>
    </message>
    <message>
        <source>no longer there</source>
        <translation>nicht mehr da</translation>
    </message>
    <message>
        <source>1 core</source>
        <translation>1 Kern</translation>
    </message>
    <message>
        <source>%1 cores</source>
        <translation>%1 Kerne</translation>
    </message>
    <message>
        <source>%1 memory</source>
        <translation>%1 Speicher</translation>
    </message>
    <message>
        <source>no GPU</source>
        <translation>keine GPU</translation>
    </message>
    <message>
        <source>Measures arithmetic, bandwidth and latency of this machine. This takes less than 20 s.</source>
        <translation>Misst Arithmetik, Bandbreite und Latenz dieser Maschine. Das dauert unter 20 s.</translation>
    </message>
    <message>
        <source>roofs not measured yet</source>
        <translation>Dächer noch nicht gemessen</translation>
    </message>
    <message>
        <source>Measure the roofs</source>
        <translation>Die Dächer messen</translation>
    </message>
    <message>
        <source>Otherwise the first run does it.</source>
        <translation>Sonst tut es der erste Lauf.</translation>
    </message>
    <message>
        <source>roofs measured %1</source>
        <translation>Dächer gemessen: %1</translation>
    </message>
    <message>
        <source>roofs measured %1, low confidence</source>
        <translation>Dächer gemessen: %1, wenig verlässlich</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>Neu messen</translation>
    </message>
    <message>
        <source>This machine: %1</source>
        <translation>Diese Maschine: %1</translation>
    </message>
    <message>
        <source>fusion</source>
        <translation>Fusion</translation>
    </message>
    <message>
        <source>data type</source>
        <translation>Datentyp</translation>
    </message>
    <message>
        <source>Origin:</source>
        <translation>Herkunft:</translation>
    </message>
    <message>
        <source>phase unknown</source>
        <translation>Phase unbekannt</translation>
    </message>
    <message>
        <source>Tools &gt; Measure the roofs</source>
        <translation>Werkzeuge &gt; Die Dächer messen</translation>
    </message>
    <message>
        <source>Tools &gt; What works on this machine</source>
        <translation>Werkzeuge &gt; Was auf dieser Maschine geht</translation>
    </message>
    <message>
        <source>Choose %1</source>
        <translation>Wähle %1</translation>
    </message>
    <message>
        <source>choose %1</source>
        <translation>wähle %1</translation>
    </message>
    <message>
        <source>inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>optimiser state</source>
        <translation>Zustand des Optimierers</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>Zwischenspeicher</translation>
    </message>
    <message>
        <source>inconsistent</source>
        <translation>widersprüchlich</translation>
    </message>
    <message>
        <source>too short to say</source>
        <translation>zu kurz für ein Urteil</translation>
    </message>
    <message>
        <source>dispatch</source>
        <translation>Verteilung</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>balanced</source>
        <translation>ausgewogen</translation>
    </message>
    <message>
        <source>latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>kernel inefficiency</source>
        <translation>Kernel ineffizient</translation>
    </message>
    <message>
        <source>transfer</source>
        <translation>Übertragung</translation>
    </message>
    <message>
        <source>launch</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>grid too small</source>
        <translation>Grid zu klein</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>update</source>
        <translation>Update</translation>
    </message>
    <message>
        <source>channel %1 of %2</source>
        <translation>Kanal %1 von %2</translation>
    </message>
    <message>
        <source>image %1 of %2</source>
        <translation>Bild %1 von %2</translation>
    </message>
    <message>
        <source>tree PLRU</source>
        <translation>PLRU-Baum</translation>
    </message>
    <message>
        <source>LRU of PLRU trees</source>
        <translation>LRU von PLRU-Bäumen</translation>
    </message>
    <message>
        <source>Not measured: this capture holds no counts of the processor&apos;s hardware counters.</source>
        <translation>Nicht gemessen: diese Aufzeichnung enthält nichts, was die Zähler des Prozessors gezählt haben.</translation>
    </message>
    <message>
        <source>ways and policy assumed</source>
        <translation>Wege und Regel angenommen</translation>
    </message>
    <message>
        <source>assumed: this capture does not hold the caches of its machine</source>
        <translation>angenommen: diese Aufzeichnung enthält die Caches ihrer Maschine nicht</translation>
    </message>
    <message>
        <source>fully associative LRU, from empty</source>
        <translation>vollassoziativ, LRU, am Anfang leer</translation>
    </message>
    <message>
        <source>fully associative LRU</source>
        <translation>vollassoziativ, LRU</translation>
    </message>
    <message>
        <source>sampled 1/%1 ± %2</source>
        <translation>Stichprobe 1/%1 ± %2</translation>
    </message>
    <message>
        <source>fully associative LRU, from empty, %1</source>
        <translation>vollassoziativ, LRU, am Anfang leer, %1</translation>
    </message>
    <message>
        <source>LRU, %1</source>
        <translation>LRU, %1</translation>
    </message>
    <message>
        <source>Miss ratio by cache size</source>
        <translation>Fehlrate nach Größe des Caches</translation>
    </message>
    <message>
        <source>The curve follows, from a sample of the lines.</source>
        <translation>Die Kurve folgt, aus einer Stichprobe der Zeilen.</translation>
    </message>
    <message>
        <source>The curve follows with the exact simulation.</source>
        <translation>Die Kurve folgt mit der exakten Simulation.</translation>
    </message>
    <message>
        <source>No curve: there are no accesses.</source>
        <translation>Keine Kurve: es gibt keine Zugriffe.</translation>
    </message>
    <message>
        <source>No curve: too many accesses to count one by one, and no sample was taken.</source>
        <translation>Keine Kurve: zu viele Zugriffe, um sie einzeln zu zählen, und keine Stichprobe wurde genommen.</translation>
    </message>
    <message>
        <source>No curve: the exact simulation was not made.</source>
        <translation>Keine Kurve: die exakte Simulation wurde nicht gemacht.</translation>
    </message>
    <message>
        <source>working set </source>
        <translation>Arbeitsmenge </translation>
    </message>
    <message>
        <source>Off-chip bytes by on-chip memory</source>
        <translation>Bytes außerhalb des Chips nach Speicher auf dem Chip</translation>
    </message>
    <message>
        <source>modelled: buffers used last stay</source>
        <translation>modelliert: zuletzt benutzte Puffer bleiben</translation>
    </message>
    <message>
        <source>No curve: no op moves bytes.</source>
        <translation>Keine Kurve: keine Op bewegt Bytes.</translation>
    </message>
    <message>
        <source>none: %1 of all operands</source>
        <translation>nichts: %1 aller Operanden</translation>
    </message>
    <message>
        <source>all: %1 of inputs and outputs</source>
        <translation>alles: %1 der Eingaben und Ausgaben</translation>
    </message>
    <message>
        <source>Misses by cause</source>
        <translation>Fehlzugriffe nach Ursache</translation>
    </message>
    <message>
        <source>compulsory</source>
        <translation>zwingend</translation>
    </message>
    <message>
        <source>capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>conflict</source>
        <translation>Konflikt</translation>
    </message>
    <message>
        <source>causes unknown: too many accesses to count one by one here</source>
        <translation>Ursachen unbekannt: hier zu viele Zugriffe, um sie einzeln zu zählen</translation>
    </message>
    <message>
        <source>causes follow with the exact simulation</source>
        <translation>Ursachen folgen mit der exakten Simulation</translation>
    </message>
    <message>
        <source>no causes: there are no accesses</source>
        <translation>keine Ursachen: es gibt keine Zugriffe</translation>
    </message>
    <message>
        <source>causes unknown: the exact simulation was not made</source>
        <translation>Ursachen unbekannt: die exakte Simulation wurde nicht gemacht</translation>
    </message>
    <message>
        <source>%1 misses, %2 of its accesses</source>
        <translation>%1 Fehlzugriffe, %2 ihrer Zugriffe</translation>
    </message>
    <message>
        <source>%1 fetched; measured –</source>
        <translation>%1 geholt; gemessen –</translation>
    </message>
    <message>
        <source>%1 fetched; measured %2, error %3%4</source>
        <translation>%1 geholt; gemessen %2, Fehler %3%4</translation>
    </message>
    <message>
        <source>%1 misses a set</source>
        <translation>%1 Fehlzugriffe je Satz</translation>
    </message>
    <message>
        <source>1 set</source>
        <translation>1 Satz</translation>
    </message>
    <message>
        <source>%1 sets</source>
        <translation>%1 Sätze</translation>
    </message>
    <message>
        <source>, 1/%1 simulated</source>
        <translation>, 1/%1 simuliert</translation>
    </message>
    <message>
        <source>busiest eighth: %1</source>
        <translation>vollstes Achtel: %1</translation>
    </message>
    <message>
        <source>, busiest eighth takes %1</source>
        <translation>, das vollste Achtel nimmt %1</translation>
    </message>
    <message>
        <source>Misses by set, %1</source>
        <translation>Fehlzugriffe nach Satz, %1</translation>
    </message>
    <message>
        <source>faint: in the nearest cache</source>
        <translation>blass: im nächsten Cache</translation>
    </message>
    <message>
        <source>strong: in a farther one</source>
        <translation>kräftig: in einem ferneren</translation>
    </message>
    <message>
        <source>from memory</source>
        <translation>aus dem Speicher</translation>
    </message>
    <message>
        <source>all %1, by address</source>
        <translation>alle %1, nach Adresse</translation>
    </message>
    <message>
        <source>all %1</source>
        <translation>alle %1</translation>
    </message>
    <message>
        <source>the first %1, by address</source>
        <translation>die ersten %1, nach Adresse</translation>
    </message>
    <message>
        <source>the first %1</source>
        <translation>die ersten %1</translation>
    </message>
    <message>
        <source>Accesses in order</source>
        <translation>Zugriffe der Reihe nach</translation>
    </message>
    <message>
        <source>There are no accesses.</source>
        <translation>Es gibt keine Zugriffe.</translation>
    </message>
    <message>
        <source>before the first access</source>
        <translation>vor dem ersten Zugriff</translation>
    </message>
    <message>
        <source>past the caches</source>
        <translation>an den Caches vorbei</translation>
    </message>
    <message>
        <source>found in %1</source>
        <translation>gefunden in %1</translation>
    </message>
    <message>
        <source>%1: %2 %3 B of %4, %5</source>
        <translation>%1: %2 %3 B von %4, %5</translation>
    </message>
    <message>
        <source>load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>store</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>%1
%2 accesses, %3 misses, %4 lines written back into it</source>
        <translation>%1
%2 Zugriffe, %3 Fehlzugriffe, %4 Zeilen hierher zurückgeschrieben</translation>
    </message>
    <message>
        <source>: misses</source>
        <translation>: Fehlzugriffe</translation>
    </message>
    <message>
        <source>Compulsory: the first use of a line. Capacity: a fully associative LRU cache of this size would miss, too. Conflict: the rest, lines that compete for one set. Error: simulated against counted by the hardware.</source>
        <translation>Zwingend: die erste Benutzung einer Zeile. Kapazität: auch ein vollassoziativer LRU-Cache dieser Größe würde verfehlen. Konflikt: der Rest, Zeilen, die um einen Satz streiten. Fehler: simuliert gegenüber von der Hardware gezählt.</translation>
    </message>
    <message>
        <source>miss ratio = misses / accesses of this level;  error = simulated / measured - 1</source>
        <translation>Fehlrate = Fehlzugriffe / Zugriffe dieser Ebene;  Fehler = simuliert / gemessen - 1</translation>
    </message>
    <message>
        <source>The smallest fully associative cache whose capacity misses are at most 5 % of the line accesses.</source>
        <translation>Der kleinste vollassoziative Cache, dessen Fehlzugriffe aus Kapazität höchstens 5 % der Zugriffe auf Zeilen sind.</translation>
    </message>
    <message>
        <source>%1
%2 of all accesses miss here
the curve has %3</source>
        <translation>%1
%2 aller Zugriffe verfehlen hier
die Kurve hat %3</translation>
    </message>
    <message>
        <source>The circle shows the misses of this level with its ways and policy, the curve those of a fully associative LRU cache. The difference is conflicts and policy.</source>
        <translation>Der Kreis zeigt die Fehlzugriffe dieser Ebene mit ihren Wegen und ihrer Regel, die Kurve die eines vollassoziativen LRU-Caches. Der Unterschied sind Konflikte und Regel.</translation>
    </message>
    <message>
        <source>Access %1</source>
        <translation>Zugriff %1</translation>
    </message>
    <message>
        <source>%1 of %2 B
%3 + %4
%5</source>
        <translation>%1 von %2 B
%3 + %4
%5</translation>
    </message>
    <message>
        <source>Faint: found in the nearest cache. Strong: in a farther one. Red: from memory.</source>
        <translation>Blass: im nächsten Cache gefunden. Kräftig: in einem ferneren. Rot: aus dem Speicher.</translation>
    </message>
    <message>
        <source>Set %1</source>
        <translation>Satz %1</translation>
    </message>
    <message>
        <source>Sets %1 to %2</source>
        <translation>Sätze %1 bis %2</translation>
    </message>
    <message>
        <source>%1 misses</source>
        <translation>%1 Fehlzugriffe</translation>
    </message>
    <message>
        <source>%1 misses each</source>
        <translation>je %1 Fehlzugriffe</translation>
    </message>
    <message>
        <source>A few dark sets among light ones: rows whose distance is a power of two fall into the same sets and evict each other.</source>
        <translation>Wenige dunkle Sätze unter hellen: Zeilen einer Matrix, deren Abstand eine Zweierpotenz ist, fallen in dieselben Sätze und verdrängen einander.</translation>
    </message>
    <message>
        <source>Only one of %1 sets was simulated so far: the others show nothing.</source>
        <translation>Bisher wurde nur einer von %1 Sätzen simuliert: die anderen zeigen nichts.</translation>
    </message>
    <message>
        <source>Share of line accesses that a fully associative LRU cache of each size misses, from stack distances. First uses are included; no cache avoids the right end.</source>
        <translation>Anteil der Zugriffe auf Zeilen, die ein vollassoziativer LRU-Cache jeder Größe verfehlt, aus Stapelabständen. Erste Benutzungen zählen mit; das rechte Ende vermeidet kein Cache.</translation>
    </message>
    <message>
        <source>misses(size) / accesses</source>
        <translation>Fehlzugriffe(Größe) / Zugriffe</translation>
    </message>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>%1 (modelled)</source>
        <translation>%1 (modelliert)</translation>
    </message>
    <message>
        <source>1 pair</source>
        <translation>1 Paar</translation>
    </message>
    <message>
        <source>%1 pairs</source>
        <translation>%1 Paare</translation>
    </message>
    <message>
        <source>Obtained: %1 of memory freed, of %2 predicted (%3)</source>
        <translation>Erreicht: %1 Speicher frei, von %2 vorhergesagten (%3)</translation>
    </message>
    <message>
        <source>Obtained: %1 longer</source>
        <translation>Erreicht: %1 länger</translation>
    </message>
    <message>
        <source>Obtained: %1 saved</source>
        <translation>Erreicht: %1 gespart</translation>
    </message>
    <message>
        <source> (95 % interval %1 to %2; %3, measured)</source>
        <translation> (95-%-Intervall %1 bis %2; %3, gemessen)</translation>
    </message>
    <message>
        <source>, not certain</source>
        <translation>, nicht sicher</translation>
    </message>
    <message>
        <source>Try again: %1</source>
        <translation>Noch einmal versuchen: %1</translation>
    </message>
    <message>
        <source>Try it: %1</source>
        <translation>Versuchen: %1</translation>
    </message>
    <message>
        <source>How: %1.</source>
        <translation>Wie: %1.</translation>
    </message>
    <message>
        <source>This rule (%1) was %2 on this account.</source>
        <translation>Diese Regel (%1) auf diesem Konto: %2.</translation>
    </message>
    <message>
        <source>The capture does not hold it.</source>
        <translation>Die Aufzeichnung enthält es nicht.</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>Strom</translation>
    </message>
    <message>
        <source>Number of the stream it ran on: work of one stream runs in order.</source>
        <translation>Nummer des Stroms: Arbeit eines Stroms läuft der Reihe nach.</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Number of the driver&apos;s context.</source>
        <translation>Nummer des Kontexts im Treiber.</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Gitter</translation>
    </message>
    <message>
        <source>Blocks along x, y and z.</source>
        <translation>Blöcke entlang x, y und z.</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>Threads of a block along x, y and z.</source>
        <translation>Threads eines Blocks entlang x, y und z.</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Blocks of a cluster along x, y and z.</source>
        <translation>Blöcke eines Clusters entlang x, y und z.</translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation>Register je Thread</translation>
    </message>
    <message>
        <source>Registers that the compiler gave each thread.</source>
        <translation>Register, die der Compiler jedem Thread gab.</translation>
    </message>
    <message>
        <source>Shared memory per block</source>
        <translation>Gemeinsamer Speicher je Block</translation>
    </message>
    <message>
        <source>Static and dynamic shared memory of a block.</source>
        <translation>Statischer und dynamischer gemeinsamer Speicher eines Blocks.</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>Richtung</translation>
    </message>
    <message>
        <source>From which memory to which.</source>
        <translation>Von welchem Speicher in welchen.</translation>
    </message>
    <message>
        <source>Bytes that were copied.</source>
        <translation>Kopierte Bytes.</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Bytes by the time of this copy.</source>
        <translation>Bytes durch die Zeit dieser Kopie.</translation>
    </message>
    <message>
        <source>Kind of memory at both ends. Copies from pageable memory wait for the host.</source>
        <translation>Art des Speichers an beiden Enden. Kopien aus auslagerbarem Speicher warten auf den Host.</translation>
    </message>
    <message>
        <source>Launched: %1</source>
        <translation>Startete: %1</translation>
    </message>
    <message>
        <source>%1 later</source>
        <translation>%1 später</translation>
    </message>
    <message>
        <source>What this call launched, and how long after the call&apos;s begin it began.</source>
        <translation>Was dieser Aufruf startete, und wie lange nach seinem Beginn es begann.</translation>
    </message>
    <message>
        <source>and further</source>
        <translation>und weiter</translation>
    </message>
    <message>
        <source>One call may launch a graph of many kernels.</source>
        <translation>Ein Aufruf kann einen Graphen vieler Kernel starten.</translation>
    </message>
    <message>
        <source>Launch delay</source>
        <translation>Startverzug</translation>
    </message>
    <message>
        <source>From the begin of the call that launched it to its own begin.</source>
        <translation>Vom Beginn des startenden Aufrufs bis zum eigenen Beginn.</translation>
    </message>
    <message>
        <source>Launched by: %1</source>
        <translation>Gestartet von: %1</translation>
    </message>
    <message>
        <source>The call, and how long it took on its thread. Click to select it.</source>
        <translation>Der Aufruf, und wie lange er auf seinem Thread dauerte. Klicken wählt ihn.</translation>
    </message>
    <message>
        <source>Unknown: the capture does not hold the call that launched it.</source>
        <translation>Unbekannt: die Aufzeichnung enthält den startenden Aufruf nicht.</translation>
    </message>
    <message>
        <source>Correlation</source>
        <translation>Korrelation</translation>
    </message>
    <message>
        <source>The number that joins a call with what it launched.</source>
        <translation>Die Nummer, die einen Aufruf mit dem verbindet, was er startete.</translation>
    </message>
    <message>
        <source>Previous: %1</source>
        <translation>Davor: %1</translation>
    </message>
    <message>
        <source>Next: %1</source>
        <translation>Danach: %1</translation>
    </message>
    <message>
        <source>%1 before</source>
        <translation>%1 davor</translation>
    </message>
    <message>
        <source>The nearest event of this kind on this track, and the gap between them. Click to select it.</source>
        <translation>Das nächste Ereignis dieser Art auf dieser Spur, und die Lücke dazwischen. Klicken wählt es.</translation>
    </message>
    <message>
        <source>The op it was launched for. Click to select it.</source>
        <translation>Die Op, für die es gestartet wurde. Klicken wählt sie.</translation>
    </message>
    <message>
        <source>The layer that wrote the op.</source>
        <translation>Die Schicht, die die Op schrieb.</translation>
    </message>
    <message>
        <source>The capture does not hold its shapes.</source>
        <translation>Die Aufzeichnung enthält ihre Formen nicht.</translation>
    </message>
    <message>
        <source>FLOPs of the op</source>
        <translation>FLOPs der Op</translation>
    </message>
    <message>
        <source>Operations of one run of the op, all its kernels together.</source>
        <translation>Rechenoperationen eines Laufs der Op, alle Kernel zusammen.</translation>
    </message>
    <message>
        <source>Bytes of the op</source>
        <translation>Bytes der Op</translation>
    </message>
    <message>
        <source>Compulsory bytes: each distinct operand byte of one run moved once.</source>
        <translation>Zwingende Bytes: jedes verschiedene Byte der Operanden eines Laufs einmal bewegt.</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>%1 on %2, %3</source>
        <translation>%1 auf %2, %3</translation>
    </message>
    <message>
        <source>This run of it</source>
        <translation>Dieser Lauf von ihr</translation>
    </message>
    <message>
        <source>This event</source>
        <translation>Dieses Ereignis</translation>
    </message>
    <message>
        <source>Begins</source>
        <translation>Beginnt</translation>
    </message>
    <message>
        <source>%1 after the start</source>
        <translation>%1 nach dem Beginn</translation>
    </message>
    <message>
        <source>Bytes that were set.</source>
        <translation>Gesetzte Bytes.</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>Wartet auf</translation>
    </message>
    <message>
        <source>What the thread or stream waited for.</source>
        <translation>Worauf der Thread oder Strom wartete.</translation>
    </message>
    <message>
        <source>Returned</source>
        <translation>Ergab</translation>
    </message>
    <message>
        <source>success</source>
        <translation>Erfolg</translation>
    </message>
    <message>
        <source>error %1</source>
        <translation>Fehler %1</translation>
    </message>
    <message>
        <source>What the call returned.</source>
        <translation>Was der Aufruf zurückgab.</translation>
    </message>
    <message>
        <source>Unknown: it was launched outside all ops, or the capture does not hold its op.</source>
        <translation>Unbekannt: es wurde außerhalb aller Ops gestartet, oder die Aufzeichnung enthält seine Op nicht.</translation>
    </message>
    <message>
        <source>Whole name</source>
        <translation>Ganzer Name</translation>
    </message>
    <message>
        <source> (measured)</source>
        <translation> (gemessen)</translation>
    </message>
    <message>
        <source>likely</source>
        <translation>wahrscheinlich</translation>
    </message>
    <message>
        <source>The class changes within the error bands of roofs, times and bytes.</source>
        <translation>Die Klasse wechselt innerhalb der Fehler von Dächern, Zeiten und Bytes.</translation>
    </message>
    <message>
        <source>Within the error bands of roofs, times and bytes the limit may be %1 instead.</source>
        <translation>Innerhalb der Fehler von Dächern, Zeiten und Bytes kann die Grenze auch %1 sein.</translation>
    </message>
    <message>
        <source>Speed-up without it</source>
        <translation>Gewinn ohne sie</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>– (the next limit is as near)</source>
        <translation>– (die nächste Grenze ist ebenso nah)</translation>
    </message>
    <message>
        <source>Time divided by the second highest limit: the largest gain of removing the first one.</source>
        <translation>Zeit durch die zweithöchste Grenze: der größte Gewinn, wenn die erste fällt.</translation>
    </message>
    <message>
        <source>time / second limit</source>
        <translation>Zeit / zweite Grenze</translation>
    </message>
    <message>
        <source>Finding %1: %2</source>
        <translation>Befund %1: %2</translation>
    </message>
    <message>
        <source>Cause: %1</source>
        <translation>Ursache: %1</translation>
    </message>
    <message>
        <source>A view: shares its input&apos;s bytes, runs nothing, moves nothing.</source>
        <translation>Eine Sicht: teilt die Bytes ihrer Eingabe, führt nichts aus, bewegt nichts.</translation>
    </message>
    <message>
        <source>– never traced, so its time is unknown.</source>
        <translation>– nie aufgezeichnet, ihre Zeit ist also unbekannt.</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Median over %1 traced steps. </source>
        <translation>Median über %1 aufgezeichnete Schritte. </translation>
    </message>
    <message>
        <source>All of %1 traced steps, by their number. </source>
        <translation>Summe aller %1 aufgezeichneten Schritte durch ihre Zahl. </translation>
    </message>
    <message>
        <source>The bar is full for the longest op.</source>
        <translation>Der Balken ist voll bei der längsten Op.</translation>
    </message>
    <message>
        <source>%1; the longest op takes %2</source>
        <translation>%1; die längste Op braucht %2</translation>
    </message>
    <message>
        <source>Share of the median step</source>
        <translation>Anteil am Median des Schritts</translation>
    </message>
    <message>
        <source>Share of the mean step</source>
        <translation>Anteil am Mittel des Schritts</translation>
    </message>
    <message>
        <source>Median of the op by median of the step.</source>
        <translation>Median der Op durch Median des Schritts.</translation>
    </message>
    <message>
        <source>Mean of the op by mean of the step. Ops of several threads or GPUs may take more than all of it.</source>
        <translation>Mittel der Op durch Mittel des Schritts. Ops mehrerer Threads oder GPUs können mehr als alles brauchen.</translation>
    </message>
    <message>
        <source>Of its roof</source>
        <translation>Von ihrem Dach</translation>
    </message>
    <message>
        <source>How much of the binding limit (bandwidth or arithmetic) the op reaches.</source>
        <translation>Wie viel der bindenden Grenze (Bandbreite oder Arithmetik) die Op erreicht.</translation>
    </message>
    <message>
        <source>%1 of its roof</source>
        <translation>%1 ihres Dachs</translation>
    </message>
    <message>
        <source>Time and work</source>
        <translation>Zeit und Arbeit</translation>
    </message>
    <message>
        <source>All within</source>
        <translation>Alle innerhalb</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95-%-Intervall</translation>
    </message>
    <message>
        <source>%1 … %2</source>
        <translation>%1 … %2</translation>
    </message>
    <message>
        <source>Shortest and longest; fewer than %1 steps carry no 95 % interval.</source>
        <translation>Kürzester und längster; unter %1 Schritten gibt es kein 95-%-Intervall.</translation>
    </message>
    <message>
        <source>Of the median, by order statistics (no distribution assumed).</source>
        <translation>Des Medians, nach der Rangfolge (ohne angenommene Verteilung).</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <source>FLOPs of one run, counted from shapes; a multiply-add is 2.</source>
        <translation>FLOPs eines Laufs, aus Formen gezählt; ein Multiply-Add sind 2.</translation>
    </message>
    <message>
        <source>Exact FLOPs by measured median time.</source>
        <translation>Exakte FLOPs durch gemessene mittlere Zeit.</translation>
    </message>
    <message>
        <source>Bytes per link</source>
        <translation>Bytes je Verbindung</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>Compulsory: every operand byte once per op (exact). Modelled: read %1, written %2.</source>
        <translation>Zwingend: jedes Byte der Operanden einmal je Op (exakt). Modelliert: %1 gelesen, %2 geschrieben.</translation>
    </message>
    <message>
        <source>%1: %2 %3, %4 compulsory</source>
        <translation>%1: %2 %3, %4 zwingend</translation>
    </message>
    <message>
        <source>Modelled with %1.</source>
        <translation>Modelliert mit %1.</translation>
    </message>
    <message>
        <source>Modelled bytes are unknown: %1.</source>
        <translation>Modellierte Bytes sind unbekannt: %1.</translation>
    </message>
    <message>
        <source>Modelled bytes are unknown: the caches of its machine are not in the trace.</source>
        <translation>Modellierte Bytes sind unbekannt: die Caches ihrer Maschine stehen nicht in der Spur.</translation>
    </message>
    <message>
        <source>Which bytes?</source>
        <translation>Welche Bytes?</translation>
    </message>
    <message>
        <source>Compulsory bytes by role</source>
        <translation>Zwingende Bytes nach Rolle</translation>
    </message>
    <message>
        <source>read</source>
        <translation>gelesen</translation>
    </message>
    <message>
        <source>written</source>
        <translation>geschrieben</translation>
    </message>
    <message>
        <source>Tensors touched</source>
        <translation>Berührte Tensoren</translation>
    </message>
    <message>
        <source>%1 %2: reads %3, writes %4. Click to select the tensor.</source>
        <translation>%1 %2: liest %3, schreibt %4. Klicken wählt den Tensor.</translation>
    </message>
    <message>
        <source>(output)</source>
        <translation>(Ausgabe)</translation>
    </message>
    <message>
        <source>(input)</source>
        <translation>(Eingabe)</translation>
    </message>
    <message>
        <source>Fused from %1 ops</source>
        <translation>Aus %1 Ops verschmolzen</translation>
    </message>
    <message>
        <source>A member of this op, by its name without fusion; what it hands on to the next stays in the first cache level.</source>
        <translation>Ein Glied dieser Op, mit seinem Namen ohne Fusion; was es weitergibt, bleibt im ersten Cache.</translation>
    </message>
    <message>
        <source>← %1</source>
        <translation>← %1</translation>
    </message>
    <message>
        <source>could be fused</source>
        <translation>ließe sich verschmelzen</translation>
    </message>
    <message>
        <source>not fused</source>
        <translation>nicht verschmolzen</translation>
    </message>
    <message>
        <source>%1 written, %2 read again: %3.</source>
        <translation>%1 geschrieben, %2 wieder gelesen: %3.</translation>
    </message>
    <message>
        <source>Op %1</source>
        <translation>Op %1</translation>
    </message>
    <message>
        <source>Made by</source>
        <translation>Gemacht von</translation>
    </message>
    <message>
        <source>The code that computed it, as the library names it.</source>
        <translation>Der Code, der sie rechnete, wie die Bibliothek ihn nennt.</translation>
    </message>
    <message>
        <source>%1, grid %2, block %3</source>
        <translation>%1, Grid %2, Block %3</translation>
    </message>
    <message>
        <source>1 launch</source>
        <translation>1 Start</translation>
    </message>
    <message>
        <source>%1 launches</source>
        <translation>%1 Starts</translation>
    </message>
    <message>
        <source>Launches in the whole capture. Grid: blocks along x, y, z. Block: threads along x, y, z. %1 threads per launch.</source>
        <translation>Starts in der ganzen Aufzeichnung. Grid: Blöcke entlang x, y, z. Block: Threads entlang x, y, z. %1 Threads je Start.</translation>
    </message>
    <message>
        <source>table launches</source>
        <translation>Tabelle launches</translation>
    </message>
    <message>
        <source>The table launches has a row for each kernel, grid and block.</source>
        <translation>Die Tabelle launches hat eine Zeile für jeden Kernel, jedes Grid und jeden Block.</translation>
    </message>
    <message>
        <source>Where it ran; a copy belongs to the device it starts from.</source>
        <translation>Wo sie lief; eine Kopie gehört zu dem Gerät, von dem sie ausgeht.</translation>
    </message>
    <message>
        <source>layer, %1</source>
        <translation>Schicht, %1</translation>
    </message>
    <message>
        <source>1 op</source>
        <translation>1 Op</translation>
    </message>
    <message>
        <source>%1 ops</source>
        <translation>%1 Ops</translation>
    </message>
    <message>
        <source>Sum of its ops</source>
        <translation>Summe ihrer Ops</translation>
    </message>
    <message>
        <source>Sum of the medians of its ops.</source>
        <translation>Summe der Mediane ihrer Ops.</translation>
    </message>
    <message>
        <source>Its ops&apos; time by that of the step. Ops that run beside each other count each.</source>
        <translation>Zeit ihrer Ops durch die des Schritts. Ops, die nebeneinander laufen, zählen jede.</translation>
    </message>
    <message>
        <source>%1 of a step</source>
        <translation>%1 eines Schritts</translation>
    </message>
    <message>
        <source>FLOPs per step.</source>
        <translation>FLOPs je Schritt.</translation>
    </message>
    <message>
        <source>Work by time.</source>
        <translation>Arbeit durch Zeit.</translation>
    </message>
    <message>
        <source>Its ops by time</source>
        <translation>Ihre Ops nach Zeit</translation>
    </message>
    <message>
        <source>%1 of the layer</source>
        <translation>%1 der Schicht</translation>
    </message>
    <message>
        <source>Written by</source>
        <translation>Geschrieben von</translation>
    </message>
    <message>
        <source>Read by</source>
        <translation>Gelesen von</translation>
    </message>
    <message>
        <source>no op: given from outside the step</source>
        <translation>keine Op: von außerhalb des Schritts gegeben</translation>
    </message>
    <message>
        <source>no op</source>
        <translation>keine Op</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>In step %1, behind the timed ones.</source>
        <translation>In Schritt %1, nach den gemessenen.</translation>
    </message>
    <message>
        <source>Least</source>
        <translation>Kleinster</translation>
    </message>
    <message>
        <source>Largest</source>
        <translation>Größter</translation>
    </message>
    <message>
        <source>Of the finite values.</source>
        <translation>Von den endlichen Werten.</translation>
    </message>
    <message>
        <source>NaN</source>
        <translation>NaN</translation>
    </message>
    <message>
        <source>Unknown: not all values are kept.</source>
        <translation>Unbekannt: nicht alle Werte sind behalten.</translation>
    </message>
    <message>
        <source>Not finite</source>
        <translation>Nicht endlich</translation>
    </message>
    <message>
        <source>NaN and infinities together.</source>
        <translation>NaN und Unendlich zusammen.</translation>
    </message>
    <message>
        <source>The first of %1 channels; the view Values has all</source>
        <translation>Der erste von %1 Kanälen; die Ansicht Werte hat alle</translation>
    </message>
    <message>
        <source>Its values as shades, the least black</source>
        <translation>Seine Werte als Grautöne, der kleinste schwarz</translation>
    </message>
    <message>
        <source>tensor, %1</source>
        <translation>Tensor, %1</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>Strides</source>
        <translation>Schrittweiten</translation>
    </message>
    <message>
        <source>Elements to the next index along each axis; 0 repeats the axis.</source>
        <translation>Elemente bis zum nächsten Index entlang jeder Achse; 0 wiederholt die Achse.</translation>
    </message>
    <message>
        <source>Bytes it occupies.</source>
        <translation>Bytes, die er belegt.</translation>
    </message>
    <message>
        <source>In whose memory it lies.</source>
        <translation>In wessen Speicher er liegt.</translation>
    </message>
    <message>
        <source>Shares bytes of</source>
        <translation>Teilt Bytes von</translation>
    </message>
    <message>
        <source>Lives</source>
        <translation>Lebt</translation>
    </message>
    <message>
        <source>across steps</source>
        <translation>über Schritte hinweg</translation>
    </message>
    <message>
        <source>Lives from</source>
        <translation>Lebt von</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>Time range</source>
        <translation>Zeitbereich</translation>
    </message>
    <message>
        <source>a stretch of time</source>
        <translation>ein Stück Zeit</translation>
    </message>
    <message>
        <source>Selected time: %1</source>
        <translation>Gewählte Zeit: %1</translation>
    </message>
    <message>
        <source>%1 of the selected time</source>
        <translation>%1 der gewählten Zeit</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>Beschäftigt</translation>
    </message>
    <message>
        <source>Union of all ops inside: overlaps count once.</source>
        <translation>Vereinigung aller Ops darin: Überlappungen zählen einmal.</translation>
    </message>
    <message>
        <source>Idle between ops</source>
        <translation>Leerlauf zwischen Ops</translation>
    </message>
    <message>
        <source>Inside a traced step, but no op runs: dispatch.</source>
        <translation>In einem aufgezeichneten Schritt, aber keine Op läuft: Verteilung.</translation>
    </message>
    <message>
        <source>In untraced steps</source>
        <translation>In Schritten ohne Aufzeichnung</translation>
    </message>
    <message>
        <source>Steps run without tracing, to measure what profiling costs: their ops are unknown.</source>
        <translation>Schritte ohne Aufzeichnung, um die Kosten des Profilings zu messen: ihre Ops sind unbekannt.</translation>
    </message>
    <message>
        <source>Between steps</source>
        <translation>Zwischen Schritten</translation>
    </message>
    <message>
        <source>Outside all steps.</source>
        <translation>Außerhalb aller Schritte.</translation>
    </message>
    <message>
        <source>Runs of ops that overlap the range.</source>
        <translation>Läufe von Ops, die den Bereich überlappen.</translation>
    </message>
    <message>
        <source>FLOPs, in proportion to the part inside.</source>
        <translation>FLOPs, im Verhältnis zum Teil darin.</translation>
    </message>
    <message>
        <source>DRAM traffic</source>
        <translation>DRAM-Verkehr</translation>
    </message>
    <message>
        <source>Bytes of these ops, in proportion: measured before simulated before modelled, of one origin for all.</source>
        <translation>Bytes dieser Ops, anteilig: gemessene vor simulierten vor modellierten, einer Herkunft für alle.</translation>
    </message>
    <message>
        <source>%1 in %2 runs</source>
        <translation>%1 in %2 Läufen</translation>
    </message>
    <message>
        <source>the whole run</source>
        <translation>der ganze Lauf</translation>
    </message>
    <message>
        <source>Time per step</source>
        <translation>Zeit je Schritt</translation>
    </message>
    <message>
        <source>%1: %2 of the median step</source>
        <translation>%1: %2 vom Median des Schritts</translation>
    </message>
    <message>
        <source>In ops</source>
        <translation>In Ops</translation>
    </message>
    <message>
        <source>The medians of all ops, summed.</source>
        <translation>Die Summe der Mediane aller Ops.</translation>
    </message>
    <message>
        <source>Between ops</source>
        <translation>Zwischen Ops</translation>
    </message>
    <message>
        <source>Time outside all ops: dispatch and time stamps.</source>
        <translation>Zeit außerhalb aller Ops: Verteilung und Zeitstempel.</translation>
    </message>
    <message>
        <source>Step-to-step variation</source>
        <translation>Schwankung von Schritt zu Schritt</translation>
    </message>
    <message>
        <source>Medians do not add up when steps vary. This row is the difference.</source>
        <translation>Mediane ergeben keine Summe, wenn Schritte schwanken. Diese Zeile ist der Unterschied.</translation>
    </message>
    <message>
        <source>Median step</source>
        <translation>Median des Schritts</translation>
    </message>
    <message>
        <source>Median over the timed steps; the rows above add up to it.</source>
        <translation>Median über die gemessenen Schritte; die Zeilen darüber ergeben ihn.</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>%1, 1 thread</source>
        <translation>%1, 1 Thread</translation>
    </message>
    <message>
        <source>%1, %2 threads</source>
        <translation>%1, %2 Threads</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>aufgezeichnet</translation>
    </message>
    <message>
        <source>Unknown: the clock of the trace is not that of a calendar.</source>
        <translation>Unbekannt: die Uhr der Spur ist keine Kalenderuhr.</translation>
    </message>
    <message>
        <source>Begun at %1.</source>
        <translation>Begonnen um %1.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>%1 and 1 view</source>
        <translation>%1 und 1 Sicht</translation>
    </message>
    <message>
        <source>%1 and %2 views</source>
        <translation>%1 und %2 Sichten</translation>
    </message>
    <message>
        <source>Ops of one step; views share bytes and run nothing.</source>
        <translation>Ops eines Schritts; Sichten teilen Bytes und führen nichts aus.</translation>
    </message>
    <message>
        <source>By Winograd&apos;s filtering</source>
        <translation>Nach Winograds Filterung</translation>
    </message>
    <message>
        <source>Convolutions computed by Winograd&apos;s minimal filtering; their FLOPs are those it does.</source>
        <translation>Faltungen nach Winograds minimaler Filterung; ihre FLOPs sind die, die sie tut.</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Elements of all learned tensors.</source>
        <translation>Elemente aller gelernten Tensoren.</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Elements that the forward ops of a step write.</source>
        <translation>Elemente, die die Vorwärts-Ops eines Schritts schreiben.</translation>
    </message>
    <message>
        <source>%1, kept</source>
        <translation>%1, behalten</translation>
    </message>
    <message>
        <source>Bytes of this role that live across steps; of all roles %1.</source>
        <translation>Bytes dieser Rolle, die über Schritte leben; aller Rollen %1.</translation>
    </message>
    <message>
        <source>Kept across steps</source>
        <translation>Über Schritte behalten</translation>
    </message>
    <message>
        <source>Bytes that live across steps.</source>
        <translation>Bytes, die über Schritte leben.</translation>
    </message>
    <message>
        <source>Pool, reserved</source>
        <translation>Pool, reserviert</translation>
    </message>
    <message>
        <source>Arena</source>
        <translation>Arena</translation>
    </message>
    <message>
        <source>Memory that the pool of this eager run took from the device, in segments; the values of a step are %1 together.</source>
        <translation>Speicher, den der Pool dieses Eager-Laufs vom Gerät nahm, in Segmenten; die Werte eines Schritts sind zusammen %1.</translation>
    </message>
    <message>
        <source>Memory for everything made within a step, planned ahead with reuse; without reuse it would be %1.</source>
        <translation>Speicher für alles, was in einem Schritt entsteht, mit Wiederverwendung geplant; ohne sie wären es %1.</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>Checksum after step %1 of %2 values with norm %3. Equal checksums: equal results.</source>
        <translation>Prüfsumme nach Schritt %1 von %2 Werten mit der Norm %3. Gleiche Prüfsummen: gleiche Ergebnisse.</translation>
    </message>
    <message>
        <source>The image that the step put out, %1 × %2 pixels</source>
        <translation>Das Bild, das der Schritt ausgab, %1 × %2 Pixel</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Maschine</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>As the processor reports it.</source>
        <translation>Wie der Prozessor es meldet.</translation>
    </message>
    <message>
        <source>Roofs of %1 are not measured.</source>
        <translation>Dächer von %1 sind nicht gemessen.</translation>
    </message>
    <message>
        <source>Roofs unknown: they were not measured before the run. Tools &gt; Measure the roofs does it.</source>
        <translation>Dächer unbekannt: sie wurden vor dem Lauf nicht gemessen. Werkzeuge &gt; Die Dächer messen tut es.</translation>
    </message>
    <message>
        <source>Roofs as specified: those of the GPU&apos;s data sheet.</source>
        <translation>Dächer wie angegeben: die des Datenblatts der GPU.</translation>
    </message>
    <message>
        <source>Roofs unknown: the trace does not hold those of its machine.</source>
        <translation>Dächer unbekannt: die Spur enthält die ihrer Maschine nicht.</translation>
    </message>
    <message>
        <source>Effective size: measured where the probe saw the level end, else as claimed. The system claims %1. %2</source>
        <translation>Wirksame Größe: gemessen, wo die Messung das Ende der Ebene sah, sonst wie behauptet. Das System behauptet %1. %2</translation>
    </message>
    <message>
        <source>Click an op, a tensor, a layer or drag a range in any view to inspect it.</source>
        <translation>Klicke auf eine Op, einen Tensor, eine Schicht, oder ziehe in einer Ansicht einen Bereich auf.</translation>
    </message>
    <message>
        <source>Allocated: bytes the traced program&apos;s allocator had handed out.</source>
        <translation>Belegt: Bytes, die der Allokator des aufgezeichneten Programms ausgegeben hatte.</translation>
    </message>
    <message>
        <source>Reserved: bytes it held, handed out or kept for later.</source>
        <translation>Reserviert: Bytes, die er hielt, ausgegeben oder für später behalten.</translation>
    </message>
    <message>
        <source>%1: as the traced program counted it.</source>
        <translation>%1: wie das aufgezeichnete Programm zählte.</translation>
    </message>
    <message>
        <source>%1: at most %2</source>
        <translation>%1: höchstens %2</translation>
    </message>
    <message>
        <source>and %1 more: point at the picture</source>
        <translation>und %1 mehr: zeige auf das Bild</translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation>Speicher über der Zeit</translation>
    </message>
    <message>
        <source>%1 over time</source>
        <translation>%1 über der Zeit</translation>
    </message>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <source>time since the first event [%1]; dotted: a step begins</source>
        <translation>Zeit seit dem ersten Ereignis [%1]; gepunktet: ein Schritt beginnt</translation>
    </message>
    <message>
        <source>measured by the traced program&apos;s allocator; which tensors were alive is not in the trace</source>
        <translation>gemessen vom Allokator des aufgezeichneten Programms; welche Tensoren lebten, steht nicht in der Spur</translation>
    </message>
    <message>
        <source>; %1 smaller series are in the data</source>
        <translation>; %1 kleinere Reihen stehen in den Daten</translation>
    </message>
    <message>
        <source>%1 over time, %2: at most %3</source>
        <translation>%1 über der Zeit, %2: höchstens %3</translation>
    </message>
    <message>
        <source>%1 after the first event</source>
        <translation>%1 nach dem ersten Ereignis</translation>
    </message>
    <message>
        <source>Peak %1 in %2</source>
        <translation>Spitze %1 in %2</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>Spitze %1</translation>
    </message>
    <message>
        <source>persistent and workspace %1</source>
        <translation>bleibend und Zwischenspeicher %1</translation>
    </message>
    <message>
        <source>, always alive</source>
        <translation>, lebt immer</translation>
    </message>
    <message>
        <source>pool %1 reserved for %2 of values</source>
        <translation>Pool %1 reserviert für %2 Werte</translation>
    </message>
    <message>
        <source>arena %1, %2 without reuse</source>
        <translation>Arena %1, %2 ohne Wiederverwendung</translation>
    </message>
    <message>
        <source>persistent %1</source>
        <translation>bleibend %1</translation>
    </message>
    <message>
        <source>workspace %1</source>
        <translation>Zwischenspeicher %1</translation>
    </message>
    <message>
        <source>unaccounted %1</source>
        <translation>nicht zugeordnet %1</translation>
    </message>
    <message>
        <source>all devices: %1</source>
        <translation>alle Geräte: %1</translation>
    </message>
    <message>
        <source>select a tensor to see when it lives</source>
        <translation>wähle einen Tensor, um zu sehen, wann er lebt</translation>
    </message>
    <message>
        <source>lives across steps</source>
        <translation>lebt über Schritte hinweg</translation>
    </message>
    <message>
        <source>from %1
to %2</source>
        <translation>von %1
bis %2</translation>
    </message>
    <message>
        <source>Bytes the tensor occupies, and the ops between which they are needed.</source>
        <translation>Bytes, die der Tensor belegt, und die Ops, zwischen denen sie gebraucht werden.</translation>
    </message>
    <message>
        <source>process</source>
        <translation>Prozess</translation>
    </message>
    <message>
        <source>%1 of %2 resident</source>
        <translation>%1 von %2 resident</translation>
    </message>
    <message>
        <source>resident = persistent + arena + workspace + files + unaccounted</source>
        <translation>resident = bleibend + Arena + Zwischenspeicher + Dateien + nicht zugeordnet</translation>
    </message>
    <message>
        <source>Code and mapped files</source>
        <translation>Code und eingeblendete Dateien</translation>
    </message>
    <message>
        <source>Pages that files back: the program, its libraries, mapped data.</source>
        <translation>Seiten, hinter denen Dateien stehen: das Programm, seine Bibliotheken, eingeblendete Daten.</translation>
    </message>
    <message>
        <source>Unaccounted</source>
        <translation>Nicht zugeordnet</translation>
    </message>
    <message>
        <source>Resident bytes without an owner: buffers of libraries, the recording, the heap.</source>
        <translation>Residente Bytes ohne Besitzer: Puffer von Bibliotheken, die Aufzeichnung, der Heap.</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source> (upwards)</source>
        <translation> (aufwärts)</translation>
    </message>
    <message>
        <source>Compulsory bytes</source>
        <translation>Zwingende Bytes</translation>
    </message>
    <message>
        <source>Bytes through %1</source>
        <translation>Bytes durch %1</translation>
    </message>
    <message>
        <source>%1: unknown</source>
        <translation>%1: unbekannt</translation>
    </message>
    <message>
        <source>%1: 0</source>
        <translation>%1: 0</translation>
    </message>
    <message>
        <source>Lines (width: bytes):</source>
        <translation>Linien (Breite: Bytes):</translation>
    </message>
    <message>
        <source>Writes %1 (%2)</source>
        <translation>Schreibt %1 (%2)</translation>
    </message>
    <message>
        <source>Reads %1 (%2)</source>
        <translation>Liest %1 (%2)</translation>
    </message>
    <message>
        <source>… and %1 more</source>
        <translation>… und %1 weitere</translation>
    </message>
    <message>
        <source>%1, %2 summed</source>
        <translation>%1, zusammen %2</translation>
    </message>
    <message>
        <source>; over 100 %: ops run beside each other</source>
        <translation>; über 100 %: Ops laufen nebeneinander</translation>
    </message>
    <message>
        <source>each timed step</source>
        <translation>jeder gemessene Schritt</translation>
    </message>
    <message>
        <source>median between %1 and %2</source>
        <translation>Median zwischen %1 und %2</translation>
    </message>
    <message>
        <source>step %1: %2</source>
        <translation>Schritt %1: %2</translation>
    </message>
    <message>
        <source>median %1</source>
        <translation>Median %1</translation>
    </message>
    <message>
        <source>%1 others</source>
        <translation>%1 andere</translation>
    </message>
    <message numerus="yes">
        <source>%n more not drawn</source>
        <translation>
            <numerusform>%n weiterer nicht gezeichnet</numerusform>
            <numerusform>%n weitere nicht gezeichnet</numerusform>
        </translation>
    </message>
    <message>
        <source>page %1 of %2</source>
        <translation>Seite %1 von %2</translation>
    </message>
    <message numerus="yes">
        <source>%n more in the HTML report.</source>
        <translation>
            <numerusform>%n weiterer im HTML-Bericht.</numerusform>
            <numerusform>%n weitere im HTML-Bericht.</numerusform>
        </translation>
    </message>
    <message>
        <source>Not drawn: %1, because its simulation takes longer than a report waits; the window shows it.</source>
        <translation>Nicht gezeichnet: %1, weil die Simulation länger dauert, als ein Bericht wartet; das Fenster zeigt es.</translation>
    </message>
    <message>
        <source>The mark of a number is its origin. An en dash (–) means unknown, never 0.</source>
        <translation>Das Zeichen einer Zahl ist ihre Herkunft. Ein Halbgeviertstrich (–) heißt unbekannt, nie 0.</translation>
    </message>
    <message>
        <source>%1 ridge %2</source>
        <translation>%1 Grat %2</translation>
    </message>
    <message>
        <source>median step</source>
        <translation>Median des Schritts</translation>
    </message>
    <message>
        <source>Median over the traced steps after the warm-up.</source>
        <translation>Median über die aufgezeichneten Schritte nach dem Anlauf.</translation>
    </message>
    <message>
        <source>One step was timed: its spread is unknown.</source>
        <translation>Ein Schritt wurde gemessen: seine Streuung ist unbekannt.</translation>
    </message>
    <message>
        <source>the only step</source>
        <translation>der einzige Schritt</translation>
    </message>
    <message>
        <source>%1, between %2 and %3</source>
        <translation>%1, zwischen %2 und %3</translation>
    </message>
    <message>
        <source>Fastest and slowest of %1 steps.</source>
        <translation>Schnellster und langsamster von %1 Schritten.</translation>
    </message>
    <message>
        <source>95 % interval of the median from %1 steps (order statistics). The medians of ops need not add up to it. Compare uses the lower quartile of the steps, which background load changes less.</source>
        <translation>95-%-Intervall des Medians aus %1 Schritten (Rangfolge). Die Mediane der Ops ergeben ihn nicht unbedingt. Vergleich nimmt das untere Quartil der Schritte, das Last im Hintergrund weniger ändert.</translation>
    </message>
    <message>
        <source>median of steps from %1 to %2</source>
        <translation>Median der Schritte von %1 bis %2</translation>
    </message>
    <message>
        <source>median step, ± %1</source>
        <translation>Median des Schritts, ± %1</translation>
    </message>
    <message>
        <source>; mean %1</source>
        <translation>; Mittel %1</translation>
    </message>
    <message>
        <source>The mean step, which shares are of, takes %1.</source>
        <translation>Der mittlere Schritt, auf den sich Anteile beziehen, dauert %1.</translation>
    </message>
    <message>
        <source>no FLOPs</source>
        <translation>keine FLOPs</translation>
    </message>
    <message>
        <source>nothing is computed, exact</source>
        <translation>nichts wird gerechnet, exakt</translation>
    </message>
    <message>
        <source>above its roof: no bound</source>
        <translation>über seinem Dach: keine Grenze</translation>
    </message>
    <message>
        <source>nothing was computed</source>
        <translation>nichts wurde gerechnet</translation>
    </message>
    <message>
        <source>no rate: emulated</source>
        <translation>keine Rate: emuliert</translation>
    </message>
    <message>
        <source>roof unknown: not in the data sheet</source>
        <translation>Dach unbekannt: nicht im Datenblatt</translation>
    </message>
    <message>
        <source>roofs are not in the trace</source>
        <translation>Dächer stehen nicht in der Spur</translation>
    </message>
    <message>
        <source>roof unknown: not measured here</source>
        <translation>Dach unbekannt: hier nicht gemessen</translation>
    </message>
    <message>
        <source>roof unknown: not all were measured</source>
        <translation>Dach unbekannt: nicht alle wurden gemessen</translation>
    </message>
    <message>
        <source>roof unknown: run a probe</source>
        <translation>Dach unbekannt: miss die Dächer</translation>
    </message>
    <message>
        <source>%1 of the roof</source>
        <translation>%1 des Dachs</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>mindestens %1</translation>
    </message>
    <message>
        <source>FLOPs known for %1 of the time</source>
        <translation>FLOPs bekannt für %1 der Zeit</translation>
    </message>
    <message>
        <source>Arithmetic rate</source>
        <translation>Rechenrate</translation>
    </message>
    <message>
        <source>%1 per step in %2</source>
        <translation>%1 je Schritt in %2</translation>
    </message>
    <message>
        <source>FLOPs of all ops, divided by the time of a step. The share of the roof is the time of their arithmetic at the measured peak of their dtypes, by the time of the step.</source>
        <translation>FLOPs aller Ops durch die Zeit eines Schritts. Der Anteil am Dach ist die Zeit ihrer Arithmetik an der gemessenen Spitze ihrer Datentypen durch die Zeit des Schritts.</translation>
    </message>
    <message>
        <source>FLOP / s; a multiply-add is 2 FLOP</source>
        <translation>FLOP / s; ein Multiply-Add sind 2 FLOP</translation>
    </message>
    <message>
        <source>Time: measured by the tool that made the trace. FLOPs: counted from the shapes in it, where it has them.</source>
        <translation>Zeit: gemessen vom Programm der Spur. FLOPs: aus den Formen in ihr gezählt, wo sie welche hat.</translation>
    </message>
    <message>
        <source>FLOPs: exact, counted from shapes. Time: measured. Roof: measured once per machine, not in this run.</source>
        <translation>FLOPs: exakt, aus Formen gezählt. Zeit: gemessen. Dach: einmal je Maschine gemessen, nicht in diesem Lauf.</translation>
    </message>
    <message>
        <source>%1 via DRAM</source>
        <translation>%1 über den DRAM</translation>
    </message>
    <message>
        <source>bytes unknown</source>
        <translation>Bytes unbekannt</translation>
    </message>
    <message>
        <source>%1 at least</source>
        <translation>mindestens %1</translation>
    </message>
    <message>
        <source>compulsory; known for %1 of the time</source>
        <translation>zwingend; bekannt für %1 der Zeit</translation>
    </message>
    <message>
        <source>compulsory; traffic unknown</source>
        <translation>zwingend; Verkehr unbekannt</translation>
    </message>
    <message>
        <source>%1 compulsory, %2</source>
        <translation>%1 zwingend, %2</translation>
    </message>
    <message>
        <source>nothing via DRAM</source>
        <translation>nichts über den DRAM</translation>
    </message>
    <message>
        <source>stays in the caches, %1</source>
        <translation>bleibt in den Caches, %1</translation>
    </message>
    <message>
        <source>bytes are not in the trace</source>
        <translation>Bytes stehen nicht in der Spur</translation>
    </message>
    <message>
        <source>Bytes through DRAM per step</source>
        <translation>Bytes durch den DRAM je Schritt</translation>
    </message>
    <message>
        <source>%1 %2, %3 compulsory</source>
        <translation>%1 %2, %3 zwingend</translation>
    </message>
    <message>
        <source>Compulsory: every operand byte of every op once (exact). </source>
        <translation>Zwingend: jedes Byte der Operanden jeder Op einmal (exakt). </translation>
    </message>
    <message>
        <source>Measured: bytes that counters saw between DRAM and the last cache. </source>
        <translation>Gemessen: Bytes, die Zähler zwischen DRAM und letztem Cache sahen. </translation>
    </message>
    <message>
        <source>Simulated: bytes between DRAM and the last cache when each op&apos;s loops run on this machine&apos;s caches. </source>
        <translation>Simuliert: Bytes zwischen DRAM und letztem Cache, wenn die Schleifen jeder Op in den Caches dieser Maschine laufen. </translation>
    </message>
    <message>
        <source>Modelled: bytes that must cross between DRAM and the last cache when tensors stay in the caches as long as they fit. </source>
        <translation>Modelliert: Bytes, die zwischen DRAM und letztem Cache gehen müssen, wenn Tensoren in den Caches bleiben, solange sie passen. </translation>
    </message>
    <message>
        <source>Below 1x the caches carry data from op to op.</source>
        <translation>Unter 1x tragen die Caches Daten von Op zu Op.</translation>
    </message>
    <message>
        <source>amplification = %1 / compulsory</source>
        <translation>Verstärkung = %1 / zwingend</translation>
    </message>
    <message>
        <source>What crosses is unknown: the sizes of the caches are, or the shapes of some ops.</source>
        <translation>Was hinübergeht, ist unbekannt: die Größen der Caches sind es, oder die Formen einiger Ops.</translation>
    </message>
    <message>
        <source>These bytes are %1. Hardware counters measure them, where the system allows it: Record &gt; Collect.</source>
        <translation>Diese Bytes sind %1. Zähler der Hardware messen sie, wo das System es erlaubt: Aufzeichnen &gt; Sammeln.</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Elements of all weights.</source>
        <translation>Elemente aller Gewichte.</translation>
    </message>
    <message>
        <source>per step</source>
        <translation>je Schritt</translation>
    </message>
    <message>
        <source>Counted from the shapes of all ops; a multiply-add is 2 FLOP.</source>
        <translation>Aus den Formen aller Ops gezählt; ein Multiply-Add sind 2 FLOP.</translation>
    </message>
    <message>
        <source>compulsory, per step</source>
        <translation>zwingend, je Schritt</translation>
    </message>
    <message>
        <source>Every operand byte of every op once.</source>
        <translation>Jedes Byte der Operanden jeder Op einmal.</translation>
    </message>
    <message>
        <source>of memory, planned</source>
        <translation>Speicher, geplant</translation>
    </message>
    <message>
        <source>Weights, inputs and the arena that all other tensors share in turn.</source>
        <translation>Gewichte, Eingaben und die Arena, die sich alle anderen Tensoren teilen.</translation>
    </message>
    <message>
        <source>Workspace of kernels comes on top.</source>
        <translation>Zwischenspeicher der Kernel kommt hinzu.</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>Batch size divided by the time of a step.</source>
        <translation>Größe des Batches durch die Zeit eines Schritts.</translation>
    </message>
    <message>
        <source>throughput = batch / median step</source>
        <translation>Durchsatz = Batch / Median des Schritts</translation>
    </message>
    <message>
        <source>Batch: exact, as it was set. Time: measured.</source>
        <translation>Batch: exakt, wie eingestellt. Zeit: gemessen.</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>samples, batch %1</source>
        <translation>Beispiele, Batch %1</translation>
    </message>
    <message>
        <source>, %1</source>
        <translation>, %1</translation>
    </message>
    <message>
        <source> to %1</source>
        <translation> bis %1</translation>
    </message>
    <message>
        <source> and %1 others</source>
        <translation> und %1 andere</translation>
    </message>
    <message>
        <source>1 point</source>
        <translation>1 Punkt</translation>
    </message>
    <message>
        <source>%1 points</source>
        <translation>%1 Punkte</translation>
    </message>
    <message>
        <source>, %1 of them measured</source>
        <translation>, davon %1 gemessen</translation>
    </message>
    <message>
        <source>Sweep of %1: %2</source>
        <translation>Messreihe von %1: %2</translation>
    </message>
    <message>
        <source>Sweep of %1 over %2: %3</source>
        <translation>Messreihe von %1 über %2: %3</translation>
    </message>
    <message>
        <source>%1 more in the table</source>
        <translation>%1 weitere in der Tabelle</translation>
    </message>
    <message>
        <source>, 1 thread</source>
        <translation>, 1 Thread</translation>
    </message>
    <message>
        <source>, %1 threads</source>
        <translation>, %1 Threads</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>1 bar</source>
        <translation>1 Balken</translation>
    </message>
    <message>
        <source>%L1 bars</source>
        <translation>%L1 Balken</translation>
    </message>
    <message>
        <source>Colour: phase</source>
        <translation>Farbe: Phase</translation>
    </message>
    <message>
        <source>Colour: verdict</source>
        <translation>Farbe: Urteil</translation>
    </message>
    <message>
        <source>Colour: roofline</source>
        <translation>Farbe: Roofline</translation>
    </message>
    <message>
        <source>Colour: name</source>
        <translation>Farbe: Name</translation>
    </message>
    <message>
        <source>Colour: category</source>
        <translation>Farbe: Kategorie</translation>
    </message>
    <message>
        <source>Colour: stream</source>
        <translation>Farbe: Strom</translation>
    </message>
    <message>
        <source>Phase of the op: forward, backward or update.</source>
        <translation>Phase der Op: vorwärts, rückwärts oder Update.</translation>
    </message>
    <message>
        <source>What limits the op.</source>
        <translation>Was die Op begrenzt.</translation>
    </message>
    <message>
        <source>Share of the roof that limits the op: low shares can gain most.</source>
        <translation>Anteil am Dach, das die Op begrenzt: kleine Anteile können am meisten gewinnen.</translation>
    </message>
    <message>
        <source>Bars of one name have one colour.</source>
        <translation>Balken eines Namens haben eine Farbe.</translation>
    </message>
    <message>
        <source>Type of the op: conv2d, matmul.</source>
        <translation>Typ der Op: conv2d, matmul.</translation>
    </message>
    <message>
        <source>Thread, stream or copy engine the bar ran on.</source>
        <translation>Thread, Strom oder Kopierer, auf dem der Balken lief.</translation>
    </message>
    <message>
        <source>%1 to %2 %</source>
        <translation>%1 bis %2 %</translation>
    </message>
    <message>
        <source>share unknown</source>
        <translation>Anteil unbekannt</translation>
    </message>
    <message>
        <source>Tracy-like</source>
        <translation>wie Tracy</translation>
    </message>
    <message>
        <source>Perfetto-like</source>
        <translation>wie Perfetto</translation>
    </message>
    <message>
        <source>wheel zooms · drag measures a range · right drag pans</source>
        <translation>Rad vergrößert · Ziehen misst einen Bereich · rechtes Ziehen schiebt</translation>
    </message>
    <message>
        <source>wheel scrolls, Ctrl+wheel zooms · drag measures a range · Shift+drag pans</source>
        <translation>Rad rollt, Strg+Rad vergrößert · Ziehen misst einen Bereich · Umschalt+Ziehen schiebt</translation>
    </message>
    <message>
        <source>%1: holds no notes: %2</source>
        <translation>%1: enthält keine Notizen: %2</translation>
    </message>
    <message>
        <source>no JSON object</source>
        <translation>kein JSON-Objekt</translation>
    </message>
    <message>
        <source>%1: marks and rows cannot be saved: %2</source>
        <translation>%1: Marken und Zeilen lassen sich nicht speichern: %2</translation>
    </message>
    <message>
        <source>with these it would have over %1 bytes</source>
        <translation>damit hätte sie über %1 Bytes</translation>
    </message>
    <message>
        <source>peak %1
%2</source>
        <translation>Spitze %1
%2</translation>
    </message>
    <message>
        <source>%1, far above</source>
        <translation>%1, weit darüber</translation>
    </message>
    <message>
        <source>time [%1]</source>
        <translation>Zeit [%1]</translation>
    </message>
    <message>
        <source>whole run</source>
        <translation>ganzer Lauf</translation>
    </message>
    <message>
        <source>%1, %2 after the start</source>
        <translation>%1, %2 nach dem Beginn</translation>
    </message>
    <message>
        <source>Nothing ran here; the cause as far as the trace holds it</source>
        <translation>Nichts lief hier; die Ursache, soweit die Spur sie enthält</translation>
    </message>
    <message>
        <source>step %1, %2, kernel %3</source>
        <translation>Schritt %1, %2, Kernel %3</translation>
    </message>
    <message>
        <source>%1 in this run: %2</source>
        <translation>%1 in diesem Lauf: %2</translation>
    </message>
    <message>
        <source>1 mark</source>
        <translation>1 Marke</translation>
    </message>
    <message>
        <source>%1 marks</source>
        <translation>%1 Marken</translation>
    </message>
    <message>
        <source>Take over %1 of an earlier recording of this name</source>
        <translation>%1 einer früheren Aufzeichnung dieses Namens übernehmen</translation>
    </message>
    <message>
        <source>Take over %1 of the recording of %2</source>
        <translation>%1 der Aufzeichnung von %2 übernehmen</translation>
    </message>
    <message>
        <source>Marks and saved views: beside the capture, in %1</source>
        <translation>Marken und gespeicherte Ansichten: neben der Aufzeichnung, in %1</translation>
    </message>
    <message>
        <source>Marks and rows: in this user&apos;s settings (the capture itself never changes)</source>
        <translation>Marken und Zeilen: in den Einstellungen dieses Benutzers (die Aufzeichnung selbst ändert sich nie)</translation>
    </message>
    <message>
        <source>roof unknown</source>
        <translation>Dach unbekannt</translation>
    </message>
    <message>
        <source>no roof</source>
        <translation>kein Dach</translation>
    </message>
    <message>
        <source>above its roof</source>
        <translation>über dem Dach</translation>
    </message>
    <message>
        <source>%1 of roof</source>
        <translation>%1 vom Dach</translation>
    </message>
    <message>
        <source>while busy</source>
        <translation>solange beschäftigt</translation>
    </message>
    <message>
        <source>hits %1</source>
        <translation>Treffer %1</translation>
    </message>
    <message>
        <source>size unknown</source>
        <translation>Größe unbekannt</translation>
    </message>
    <message>
        <source>needs %1</source>
        <translation>braucht %1</translation>
    </message>
    <message>
        <source>evicts %1</source>
        <translation>verdrängt %1</translation>
    </message>
    <message>
        <source>evicts</source>
        <translation>verdrängt</translation>
    </message>
    <message>
        <source>private</source>
        <translation>privat</translation>
    </message>
    <message>
        <source>%1 threads each</source>
        <translation>je %1 Threads</translation>
    </message>
    <message>
        <source>shared by %1</source>
        <translation>geteilt von %1</translation>
    </message>
    <message>
        <source>L1, shared</source>
        <translation>L1, geteilt</translation>
    </message>
    <message>
        <source>registers</source>
        <translation>Register</translation>
    </message>
    <message>
        <source>for all SMs</source>
        <translation>für alle SMs</translation>
    </message>
    <message>
        <source>in each SM</source>
        <translation>in jedem SM</translation>
    </message>
    <message>
        <source>Each multiprocessor divides it between L1 cache and shared memory.</source>
        <translation>Jeder Multiprozessor teilt ihn auf in L1-Cache und Shared Memory.</translation>
    </message>
    <message>
        <source>files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>core</source>
        <translation>Kern</translation>
    </message>
    <message>
        <source>The trace lacks the shapes of its tensors, so the bytes of its ops are unknown. PyTorch records them with record_shapes=True.</source>
        <translation>In der Spur fehlen die Formen ihrer Tensoren, also sind die Bytes ihrer Ops unbekannt. PyTorch zeichnet sie mit record_shapes=True auf.</translation>
    </message>
    <message>
        <source>The trace lacks the shapes of its tensors, so the bytes of its ops are unknown. Record the same workload here, or with PyTorch&apos;s record_shapes=True.</source>
        <translation>In der Spur fehlen die Formen ihrer Tensoren, also sind die Bytes ihrer Ops unbekannt. Zeichne denselben Workload hier auf, oder mit record_shapes=True von PyTorch.</translation>
    </message>
    <message>
        <source>, batch %1</source>
        <translation>, Batch %1</translation>
    </message>
    <message>
        <source>The other run has no op or layer of this name.</source>
        <translation>Der andere Lauf hat keine Op oder Schicht dieses Namens.</translation>
    </message>
    <message>
        <source>The other run&apos;s machine has no such link.</source>
        <translation>Die Maschine des anderen Laufs hat keine solche Verbindung.</translation>
    </message>
    <message>
        <source>The bytes of the two runs are known in different ways.%1</source>
        <translation>Die Bytes der beiden Läufe sind auf verschiedene Weise bekannt.%1</translation>
    </message>
    <message>
        <source> Of one of them: %1.</source>
        <translation> Von einem davon: %1.</translation>
    </message>
    <message>
        <source>tensors unknown</source>
        <translation>Tensoren unbekannt</translation>
    </message>
    <message>
        <source>%1, or %2</source>
        <translation>%1, oder %2</translation>
    </message>
    <message>
        <source>the caches of a GPU have no model over a step</source>
        <translation>für die Caches einer GPU gibt es kein Modell über einen Schritt</translation>
    </message>
    <message>
        <source>Whole step of %1</source>
        <translation>Ganzer Schritt von %1</translation>
    </message>
    <message>
        <source>Unknown: what the ops in view access is not known.</source>
        <translation>Unbekannt: worauf die gezeigten Ops zugreifen, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Not simulated: the button “Simulate caches” runs this again with a cache simulation.</source>
        <translation>Nicht simuliert: der Knopf „Caches simulieren“ führt dies noch einmal mit einer Simulation der Caches aus.</translation>
    </message>
    <message>
        <source>simulate</source>
        <translation>simulieren</translation>
    </message>
    <message>
        <source>Simulate caches</source>
        <translation>Caches simulieren</translation>
    </message>
    <message>
        <source>counters</source>
        <translation>Zähler</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>amplification</source>
        <translation>Verstärkung</translation>
    </message>
    <message>
        <source>link busy</source>
        <translation>Verbindung belegt</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>solid: measured</source>
        <translation>voll: gemessen</translation>
    </message>
    <message>
        <source>faint: emulated</source>
        <translation>blass: emuliert</translation>
    </message>
    <message>
        <source>hatched: simulated</source>
        <translation>schraffiert: simuliert</translation>
    </message>
    <message>
        <source>outlined: modelled</source>
        <translation>umrissen: modelliert</translation>
    </message>
    <message>
        <source>solid: compulsory (exact)</source>
        <translation>voll: zwingend (exakt)</translation>
    </message>
    <message>
        <source>grey, below: %1</source>
        <translation>grau, darunter: %1</translation>
    </message>
    <message>
        <source>broken: widths are logarithmic, not in proportion</source>
        <translation>unterbrochen: Breiten sind logarithmisch, nicht im Verhältnis</translation>
    </message>
    <message>
        <source>Not possible here: %1</source>
        <translation>Hier nicht möglich: %1</translation>
    </message>
    <message>
        <source>Runs the workload again and follows every access through the caches.</source>
        <translation>Führt den Workload noch einmal aus und folgt jedem Zugriff durch die Caches.</translation>
    </message>
    <message>
        <source>Runs the workload again with the hardware&apos;s counters.</source>
        <translation>Führt den Workload noch einmal mit den Zählern der Hardware aus.</translation>
    </message>
    <message>
        <source>not timed</source>
        <translation>ohne Zeit</translation>
    </message>
    <message>
        <source>median time %1</source>
        <translation>Median der Zeit %1</translation>
    </message>
    <message>
        <source>ops take %1 (medians, summed)</source>
        <translation>Ops brauchen %1 (Mediane, summiert)</translation>
    </message>
    <message>
        <source>touches %1 of tensors</source>
        <translation>berührt %1 an Tensoren</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%1 über %2</translation>
    </message>
    <message>
        <source>%1 compulsory</source>
        <translation>%1 der zwingenden Bytes</translation>
    </message>
    <message>
        <source>%1 copied within devices</source>
        <translation>%1 innerhalb von Geräten kopiert</translation>
    </message>
    <message>
        <source>against %1</source>
        <translation>gegenüber %1</translation>
    </message>
    <message>
        <source>the trace holds neither the caches of its machine nor the shapes of all ops</source>
        <translation>die Spur enthält weder die Caches ihrer Maschine noch die Formen aller Ops</translation>
    </message>
    <message>
        <source>bytes of the caches unknown: %1</source>
        <translation>Bytes der Caches unbekannt: %1</translation>
    </message>
    <message>
        <source>Ops in order, bytes over %1 (square root), colour: largest role</source>
        <translation>Ops der Reihe nach, Bytes über %1 (Quadratwurzel), Farbe: größte Rolle</translation>
    </message>
    <message>
        <source>%1 (specified)</source>
        <translation>%1 (angegeben)</translation>
    </message>
    <message>
        <source>A level of the GPU. SM: streaming multiprocessor; each has registers, an L1 cache and shared memory of its own.</source>
        <translation>Eine Ebene der GPU. SM: Streaming-Multiprozessor; jeder hat eigene Register, einen eigenen L1-Cache und eigenes Shared Memory.</translation>
    </message>
    <message>
        <source>Core: registers and arithmetic</source>
        <translation>Kern: Register und Arithmetik</translation>
    </message>
    <message>
        <source>FLOPs of the ops in view divided by %1. Roof: the time their arithmetic would take at the measured peak of their dtype and thread count.</source>
        <translation>FLOPs der gezeigten Ops durch %1. Dach: die Zeit, die ihre Arithmetik an der gemessenen Spitze ihres Datentyps und ihrer Zahl von Threads bräuchte.</translation>
    </message>
    <message>
        <source>the median step, which is the time that all shares in this picture are of</source>
        <translation>den Median des Schritts, auf dessen Zeit sich alle Anteile in diesem Bild beziehen</translation>
    </message>
    <message>
        <source>their measured time (medians, summed), which all shares in this picture are of</source>
        <translation>ihre gemessene Zeit (Mediane, summiert), auf die sich alle Anteile in diesem Bild beziehen</translation>
    </message>
    <message>
        <source>FLOP/s = FLOPs / time;  of roof = sum(FLOPs / peak) / time</source>
        <translation>FLOP/s = FLOPs / Zeit;  vom Dach = Summe(FLOPs / Spitze) / Zeit</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Host memory</source>
        <translation>Speicher des Hosts</translation>
    </message>
    <message>
        <source>%1 while something moves</source>
        <translation>%1, solange sich etwas bewegt</translation>
    </message>
    <message>
        <source>Where the data loader reads its batches from, packed. What it makes of them is larger.</source>
        <translation>Woher der Datenlader seine Batches liest, gepackt. Was er daraus macht, ist größer.</translation>
    </message>
    <message>
        <source>The computer&apos;s memory, from which a device&apos;s is filled: the slowest link of all. What stays on the device need not cross it.</source>
        <translation>Der Speicher des Rechners, aus dem der eines Geräts gefüllt wird: die langsamste Verbindung von allen. Was auf dem Gerät bleibt, muss sie nicht queren.</translation>
    </message>
    <message>
        <source>bytes that crossed / time with something under way</source>
        <translation>Bytes, die querten / Zeit, in der etwas unterwegs war</translation>
    </message>
    <message>
        <source>Unknown: nothing crossed in what is in view.</source>
        <translation>Unbekannt: im Gezeigten querte nichts.</translation>
    </message>
    <message>
        <source>effective size –</source>
        <translation>wirksame Größe –</translation>
    </message>
    <message>
        <source>effective size %1 (%2)</source>
        <translation>wirksame Größe %1 (%2)</translation>
    </message>
    <message>
        <source>
OS claims %1 (specified)</source>
        <translation>
System behauptet %1 (angegeben)</translation>
    </message>
    <message>
        <source>
latency %1</source>
        <translation>
Latenz %1</translation>
    </message>
    <message>
        <source>
footprint %1 (distinct bytes touched)</source>
        <translation>
Bedarf %1 (verschiedene berührte Bytes)</translation>
    </message>
    <message>
        <source>
hit rate %1 (%2)</source>
        <translation>
Trefferrate %1 (%2)</translation>
    </message>
    <message>
        <source>
evicted most: %1, %2 fetched again</source>
        <translation>
am meisten verdrängt: %1, %2 wieder geholt</translation>
    </message>
    <message>
        <source>Effective size: the working set at which the probe saw this level end (else the claimed size), times the instances that the run&apos;s threads use. Needs: the distinct bytes the ops in view touch, against that size. Hit rate: bytes asked of this level that did not have to come from outside. Evicted most: in the steady state every byte fetched has left the level since its last use.</source>
        <translation>Wirksame Größe: die Arbeitsmenge, bei der die Messung das Ende dieser Ebene sah (sonst die behauptete Größe), mal den Instanzen, die die Threads des Laufs benutzen. Braucht: die verschiedenen Bytes, die die gezeigten Ops berühren, gegenüber dieser Größe. Trefferrate: Bytes, die von dieser Ebene verlangt wurden und nicht von außen kommen mussten. Am meisten verdrängt: im eingeschwungenen Zustand hat jedes geholte Byte die Ebene seit seiner letzten Benutzung verlassen.</translation>
    </message>
    <message>
        <source>gauge = footprint / effective size;  hit rate = 1 - bytes in from outside / bytes asked for</source>
        <translation>Füllstand = Bedarf / wirksame Größe;  Trefferrate = 1 - Bytes von außen / verlangte Bytes</translation>
    </message>
    <message>
        <source>Unknown: %1.</source>
        <translation>Unbekannt: %1.</translation>
    </message>
    <message>
        <source>%1 → %2, read</source>
        <translation>%1 → %2, gelesen</translation>
    </message>
    <message>
        <source>%1 → %2, written back</source>
        <translation>%1 → %2, zurückgeschrieben</translation>
    </message>
    <message>
        <source>Bytes that cross this link in this direction, by the role of their tensor. Click: which tensors.</source>
        <translation>Bytes, die diese Verbindung in dieser Richtung queren, nach der Rolle ihres Tensors. Klick: welche Tensoren.</translation>
    </message>
    <message>
        <source>Compulsory bytes only: %1.</source>
        <translation>Nur zwingende Bytes: %1.</translation>
    </message>
    <message>
        <source>: needed</source>
        <translation>: benötigt</translation>
    </message>
    <message>
        <source>Bytes that crossed, less redundant copies.</source>
        <translation>Bytes, die querten, ohne überflüssige Kopien.</translation>
    </message>
    <message>
        <source>Unknown: the tensors of some copies are not recorded.</source>
        <translation>Unbekannt: die Tensoren mancher Kopien sind nicht aufgezeichnet.</translation>
    </message>
    <message>
        <source>Copies are recorded one by one: there is nothing to model or simulate.</source>
        <translation>Kopien werden einzeln aufgezeichnet: da ist nichts zu modellieren oder zu simulieren.</translation>
    </message>
    <message>
        <source>: link busy</source>
        <translation>: Verbindung belegt</translation>
    </message>
    <message>
        <source>Share of the median step during which something moved for what is in view.</source>
        <translation>Anteil am Median des Schritts, in dem sich für das Gezeigte etwas bewegte.</translation>
    </message>
    <message>
        <source>time per step with something under way / median step</source>
        <translation>Zeit je Schritt, in der etwas unterwegs war / Median des Schritts</translation>
    </message>
    <message>
        <source>: compulsory</source>
        <translation>: zwingend</translation>
    </message>
    <message>
        <source>Each distinct byte of each operand moved once per op; no cache can avoid it within the op.</source>
        <translation>Jedes verschiedene Byte jedes Operanden einmal je Op bewegt; innerhalb der Op kann kein Cache das vermeiden.</translation>
    </message>
    <message>
        <source>sum over ops of (read + written operand bytes)</source>
        <translation>Summe über Ops von (gelesene + geschriebene Bytes der Operanden)</translation>
    </message>
    <message>
        <source>: modelled</source>
        <translation>: modelliert</translation>
    </message>
    <message>
        <source>: simulated</source>
        <translation>: simuliert</translation>
    </message>
    <message>
        <source>Every line the ops access, through caches of this machine&apos;s sizes, ways and policies, in the steady state.</source>
        <translation>Jede Zeile, auf die die Ops zugreifen, durch Caches mit den Größen, Wegen und Regeln dieser Maschine, im eingeschwungenen Zustand.</translation>
    </message>
    <message>
        <source>At least: 1 op with unknown accesses is left out, so the ribbons show the model. </source>
        <translation>Mindestens: 1 Op mit unbekannten Zugriffen fehlt darin, deshalb zeigen die Bänder das Modell. </translation>
    </message>
    <message>
        <source>At least: %1 ops with unknown accesses are left out, so the ribbons show the model. </source>
        <translation>Mindestens: %1 Ops mit unbekannten Zugriffen fehlen darin, deshalb zeigen die Bänder das Modell. </translation>
    </message>
    <message>
        <source>: measured</source>
        <translation>: gemessen</translation>
    </message>
    <message>
        <source>Counted by the hardware while the run went.</source>
        <translation>Von der Hardware gezählt, während der Lauf lief.</translation>
    </message>
    <message>
        <source>: amplification</source>
        <translation>: Verstärkung</translation>
    </message>
    <message>
        <source>How often each compulsory byte crosses the link; below 1 the caches keep bytes from op to op.</source>
        <translation>Wie oft jedes zwingende Byte die Verbindung quert; unter 1 behalten die Caches Bytes von Op zu Op.</translation>
    </message>
    <message>
        <source>bytes drawn / compulsory bytes</source>
        <translation>gezeichnete Bytes / zwingende Bytes</translation>
    </message>
    <message>
        <source>
bandwidth %1</source>
        <translation>
Bandbreite %1</translation>
    </message>
    <message>
        <source>Share of the time the link would need for these bytes at its measured bandwidth for this mix of reads and writes. Near 100 %: this link limits.</source>
        <translation>Anteil der Zeit, den die Verbindung bei ihrer gemessenen Bandbreite für diese Mischung aus Lesen und Schreiben für diese Bytes bräuchte. Nahe 100 %: diese Verbindung begrenzt.</translation>
    </message>
    <message>
        <source>bytes drawn / (bandwidth x time)</source>
        <translation>gezeichnete Bytes / (Bandbreite x Zeit)</translation>
    </message>
    <message>
        <source>Unknown: no measured bandwidth or no time.</source>
        <translation>Unbekannt: keine gemessene Bandbreite oder keine Zeit.</translation>
    </message>
    <message>
        <source>More than the bandwidth that was measured: that is no bound here, or fewer bytes cross than drawn. No share is shown then.</source>
        <translation>Mehr als die gemessene Bandbreite: sie ist hier keine Grenze, oder es queren weniger Bytes als gezeichnet. Dann wird kein Anteil gezeigt.</translation>
    </message>
    <message>
        <source>: difference</source>
        <translation>: Unterschied</translation>
    </message>
    <message>
        <source>%1
%2 here
%3 in %4</source>
        <translation>%1
%2 hier
%3 in %4</translation>
    </message>
    <message>
        <source>Bytes of this run less those of the run it is compared with, for the op, layer or step of the same name.</source>
        <translation>Bytes dieses Laufs weniger die des Laufs, mit dem verglichen wird, für die Op, die Schicht oder den Schritt desselben Namens.</translation>
    </message>
    <message>
        <source>%1, mostly %2
%3</source>
        <translation>%1, am meisten %2
%3</translation>
    </message>
    <message>
        <source>Bytes of this op over %1, the outermost link over which the step moves any; time: median of the traced steps.</source>
        <translation>Bytes dieser Op über %1, die äußerste Verbindung, über die der Schritt welche bewegt; Zeit: Median der aufgezeichneten Schritte.</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nie</translation>
    </message>
    <message>
        <source>once</source>
        <translation>einmal</translation>
    </message>
    <message>
        <source>%1 times</source>
        <translation>%1-mal</translation>
    </message>
    <message>
        <source>%1 %2, %3
%4, %5
read %6, written %7 this step</source>
        <translation>%1 %2, %3
%4, %5
%6 gelesen, %7 geschrieben in diesem Schritt</translation>
    </message>
    <message>
        <source>lives within the step</source>
        <translation>lebt im Schritt</translation>
    </message>
    <message>
        <source>This tensor&apos;s part of the bytes on the chosen link and direction.</source>
        <translation>Der Teil dieses Tensors an den Bytes auf der gewählten Verbindung und Richtung.</translation>
    </message>
    <message>
        <source>A line that is written must first be fetched: such fills count as read.</source>
        <translation>Eine Zeile, die geschrieben wird, muss zuerst geholt werden: solches Füllen zählt als gelesen.</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Click: sort. Right click: choose columns.</source>
        <translation>Klick: sortieren. Rechtsklick: Spalten wählen.</translation>
    </message>
    <message>
        <source>Details of the selected range</source>
        <translation>Einzelheiten des gewählten Bereichs</translation>
    </message>
    <message>
        <source>Busy and idle time in the range</source>
        <translation>Beschäftigte und leere Zeit im Bereich</translation>
    </message>
    <message>
        <source>Names in the range by time</source>
        <translation>Namen im Bereich nach Zeit</translation>
    </message>
    <message>
        <source>Busy and idle</source>
        <translation>Beschäftigt und leer</translation>
    </message>
    <message>
        <source>Durations</source>
        <translation>Dauern</translation>
    </message>
    <message>
        <source>Flame graph</source>
        <translation>Flammenbild</translation>
    </message>
    <message>
        <source>Busy time as a union, idle time with its cause, bytes copied, and the names that took most</source>
        <translation>Beschäftigte Zeit als Vereinigung, leere Zeit mit ihrer Ursache, kopierte Bytes und die Namen, die am meisten brauchten</translation>
    </message>
    <message>
        <source>Histogram and percentiles of the selected name</source>
        <translation>Verteilung und Perzentile des gewählten Namens</translation>
    </message>
    <message>
        <source>Time by stack: threads nest by time, device work by phase, layers and op</source>
        <translation>Zeit nach Stapel: Threads schachteln nach Zeit, Arbeit des Geräts nach Phase, Schichten und Op</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>Wird gemessen…</translation>
    </message>
    <message>
        <source>Nothing ran in this range</source>
        <translation>Nichts lief in diesem Bereich</translation>
    </message>
    <message>
        <source>Select a range that holds bars.</source>
        <translation>Wähle einen Bereich, der Balken enthält.</translation>
    </message>
    <message>
        <source>Click a bar, or a row of the names, to see how long it takes each time.</source>
        <translation>Klicke auf einen Balken oder eine Zeile der Namen, um zu sehen, wie lange er jedes Mal dauert.</translation>
    </message>
    <message>
        <source>None of them begins inside the range.</source>
        <translation>Keiner davon beginnt im Bereich.</translation>
    </message>
    <message>
        <source>The program `tensortide` was found neither beside this window&apos;s program nor on PATH: nothing can be run.</source>
        <translation>Das Programm `tensortide` liegt weder neben diesem Programm noch im PATH: nichts kann laufen.</translation>
    </message>
    <message>
        <source>with the change</source>
        <translation>mit der Änderung</translation>
    </message>
    <message>
        <source>without the change</source>
        <translation>ohne die Änderung</translation>
    </message>
    <message>
        <source>%1 could not be started: %2</source>
        <translation>%1 konnte nicht gestartet werden: %2</translation>
    </message>
    <message>
        <source>Cancelled: nothing was imported.</source>
        <translation>Abgebrochen: nichts wurde importiert.</translation>
    </message>
    <message>
        <source>Cancelled: the roofs were not measured.</source>
        <translation>Abgebrochen: die Dächer wurden nicht gemessen.</translation>
    </message>
    <message>
        <source>Cancelled: nothing was exported.</source>
        <translation>Abgebrochen: nichts wurde exportiert.</translation>
    </message>
    <message>
        <source>Cancelled before the first step was recorded: there is no capture.</source>
        <translation>Abgebrochen, bevor der erste Schritt aufgezeichnet war: es gibt keine Aufzeichnung.</translation>
    </message>
    <message>
        <source>Cancelled: what was recorded until then is shown.</source>
        <translation>Abgebrochen: was bis dahin aufgezeichnet wurde, wird gezeigt.</translation>
    </message>
    <message>
        <source>The run crashed%1. %2</source>
        <translation>Der Lauf stürzte ab%1. %2</translation>
    </message>
    <message>
        <source> (%1)</source>
        <translation> (%1)</translation>
    </message>
    <message>
        <source>Nothing had been recorded.</source>
        <translation>Nichts war aufgezeichnet.</translation>
    </message>
    <message>
        <source>What was recorded until then is shown.</source>
        <translation>Was bis dahin aufgezeichnet wurde, wird gezeigt.</translation>
    </message>
    <message>
        <source>The run ended with exit code %1 and without a message.</source>
        <translation>Der Lauf endete mit dem Code %1 und ohne Meldung.</translation>
    </message>
    <message>
        <source>Save report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>Report of</source>
        <translation>Bericht von</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Tick all</source>
        <translation>Alle ankreuzen</translation>
    </message>
    <message>
        <source>Tick none</source>
        <translation>Keinen ankreuzen</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern als…</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>Roofline: FLOP/s against arithmetic intensity</source>
        <translation>Roofline: FLOP/s über der arithmetischen Intensität</translation>
    </message>
    <message>
        <source>Bytes from</source>
        <translation>Bytes von</translation>
    </message>
    <message>
        <source>Types shown</source>
        <translation>Gezeigte Typen</translation>
    </message>
    <message>
        <source>Shows the ops of one type only</source>
        <translation>Zeigt nur die Ops eines Typs</translation>
    </message>
    <message>
        <source>Layers shown</source>
        <translation>Gezeigte Schichten</translation>
    </message>
    <message>
        <source>Shows the ops of one layer, and of what is inside it, only</source>
        <translation>Zeigt nur die Ops einer Schicht und dessen, was in ihr liegt</translation>
    </message>
    <message>
        <source>choose a type</source>
        <translation>Typ wählen</translation>
    </message>
    <message>
        <source>choose a layer</source>
        <translation>Schicht wählen</translation>
    </message>
    <message>
        <source>Roofline chart</source>
        <translation>Roofline-Bild</translation>
    </message>
    <message>
        <source>Ops by potential savings</source>
        <translation>Ops nach möglichem Gewinn</translation>
    </message>
    <message>
        <source>All types</source>
        <translation>Alle Typen</translation>
    </message>
    <message>
        <source>All layers</source>
        <translation>Alle Schichten</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>Alle Ebenen</translation>
    </message>
    <message>
        <source>Bytes from level</source>
        <translation>Bytes von Ebene</translation>
    </message>
    <message>
        <source>A dot per op and level, each at its own intensity; a dot joins with its op&apos;s others under the cursor</source>
        <translation>Ein Punkt je Op und Ebene, jeder bei seiner eigenen Intensität; unter dem Zeiger verbindet sich ein Punkt mit den anderen seiner Op</translation>
    </message>
    <message>
        <source>Intensity = FLOPs / bytes that come from or go to %1</source>
        <translation>Intensität = FLOPs / Bytes, die von %1 kommen oder dorthin gehen</translation>
    </message>
    <message>
        <source>Arithmetic intensity: FLOP per byte of the level&apos;s traffic</source>
        <translation>Arithmetische Intensität: FLOP je Byte des Verkehrs der Ebene</translation>
    </message>
    <message>
        <source>Arithmetic intensity: FLOP per byte of %1 traffic</source>
        <translation>Arithmetische Intensität: FLOP je Byte Verkehr von %1</translation>
    </message>
    <message>
        <source>Performance [GFLOP/s]</source>
        <translation>Leistung [GFLOP/s]</translation>
    </message>
    <message>
        <source>above the roof: no bound</source>
        <translation>über dem Dach: keine Grenze</translation>
    </message>
    <message>
        <source>nearest</source>
        <translation>nächstes</translation>
    </message>
    <message>
        <source>above</source>
        <translation>darüber</translation>
    </message>
    <message>
        <source>No op is above its roof&apos;s time by a measurable amount.</source>
        <translation>Keine Op liegt um etwas Messbares über der Zeit ihres Dachs.</translation>
    </message>
    <message>
        <source>The trace does not hold the roofs of its machine.</source>
        <translation>Die Spur enthält die Dächer ihrer Maschine nicht.</translation>
    </message>
    <message>
        <source>Potential savings</source>
        <translation>Möglicher Gewinn</translation>
    </message>
    <message>
        <source>unknown: roofs are not in the trace</source>
        <translation>unbekannt: Dächer stehen nicht in der Spur</translation>
    </message>
    <message>
        <source>unknown: not all roofs were measured</source>
        <translation>unbekannt: nicht alle Dächer wurden gemessen</translation>
    </message>
    <message>
        <source>unknown: there are no roofs</source>
        <translation>unbekannt: es gibt keine Dächer</translation>
    </message>
    <message>
        <source>unknown: roofs not measured</source>
        <translation>unbekannt: Dächer nicht gemessen</translation>
    </message>
    <message>
        <source>%1 of %2, %3 roof</source>
        <translation>%1 von %2, Dach: %3</translation>
    </message>
    <message>
        <source>No op has a roof at this level.</source>
        <translation>Keine Op hat auf dieser Ebene ein Dach.</translation>
    </message>
    <message>
        <source>1 op without FLOPs is not shown</source>
        <translation>1 Op ohne FLOPs ist nicht gezeigt</translation>
    </message>
    <message>
        <source>%1 ops without FLOPs are not shown</source>
        <translation>%1 Ops ohne FLOPs sind nicht gezeigt</translation>
    </message>
    <message>
        <source>%1 dotted at the right edge: no bytes at %2</source>
        <translation>%1 gepunktet am rechten Rand: keine Bytes an %2</translation>
    </message>
    <message>
        <source>their level</source>
        <translation>ihrer Ebene</translation>
    </message>
    <message>
        <source>many ops: each has one dot, at %1; point at it to see its other levels</source>
        <translation>viele Ops: jede hat einen Punkt, an %1; zeige darauf, um ihre anderen Ebenen zu sehen</translation>
    </message>
    <message>
        <source>its nearest roof</source>
        <translation>ihrem nächsten Dach</translation>
    </message>
    <message>
        <source>the farthest level</source>
        <translation>der fernsten Ebene</translation>
    </message>
    <message>
        <source>the %1 largest of %2 dots are drawn</source>
        <translation>die %1 größten von %2 Punkten sind gezeichnet</translation>
    </message>
    <message>
        <source>1 op above its roof (arrow head): </source>
        <translation>1 Op über ihrem Dach (Pfeilspitze): </translation>
    </message>
    <message>
        <source>%1 ops above their roofs (arrow heads): </source>
        <translation>%1 Ops über ihren Dächern (Pfeilspitzen): </translation>
    </message>
    <message>
        <source>these roofs have low confidence</source>
        <translation>diese Dächer sind wenig verlässlich</translation>
    </message>
    <message>
        <source>faster than the roof was measured, or fewer bytes crossed than counted here</source>
        <translation>schneller als das Dach gemessen wurde, oder es querten weniger Bytes als hier gezählt</translation>
    </message>
    <message>
        <source>roofs unknown: they are not in the trace</source>
        <translation>Dächer unbekannt: sie stehen nicht in der Spur</translation>
    </message>
    <message>
        <source>low-confidence roofs: measured on a busy machine, or not all</source>
        <translation>wenig verlässliche Dächer: auf einer beschäftigten Maschine gemessen, oder nicht alle</translation>
    </message>
    <message>
        <source>DRAM’s roof: as measured beside the run</source>
        <translation>Dach des DRAM: wie neben dem Lauf gemessen</translation>
    </message>
    <message>
        <source>DRAM’s roof is unsteady</source>
        <translation>Das Dach des DRAM ist unstet</translation>
    </message>
    <message>
        <source>%1 at %2
</source>
        <translation>%1 an %2
</translation>
    </message>
    <message>
        <source>no bytes at %1
</source>
        <translation>keine Bytes an %1
</translation>
    </message>
    <message>
        <source>%1, potential savings %2</source>
        <translation>%1, möglicher Gewinn %2</translation>
    </message>
    <message>
        <source>roof unknown: %1</source>
        <translation>Dach unbekannt: %1</translation>
    </message>
    <message>
        <source>Verdict: %1</source>
        <translation>Urteil: %1</translation>
    </message>
    <message>
        <source>savings = time - FLOPs / min(peak, intensity x bandwidth)</source>
        <translation>Gewinn = Zeit - FLOPs / min(Spitze, Intensität x Bandbreite)</translation>
    </message>
    <message>
        <source>FLOPs are exact, time is measured (median), bytes are %1.</source>
        <translation>FLOPs sind exakt, Zeit ist gemessen (Median), Herkunft der Bytes: %1.</translation>
    </message>
    <message>
        <source>FLOPs are exact, time is measured (median). Without bytes at this level there is no intensity: only arithmetic is its roof.</source>
        <translation>FLOPs sind exakt, Zeit ist gemessen (Median). Ohne Bytes auf dieser Ebene gibt es keine Intensität: nur die Arithmetik ist ihr Dach.</translation>
    </message>
    <message>
        <source>Ridge point: ops left of it are limited by this level, ops right of it by arithmetic.</source>
        <translation>Grat: Ops links davon begrenzt diese Ebene, Ops rechts davon die Arithmetik.</translation>
    </message>
    <message>
        <source>ridge = peak FLOP/s / bandwidth</source>
        <translation>Grat = FLOP/s der Spitze / Bandbreite</translation>
    </message>
    <message>
        <source>%1, lowest %2, highest %3 of the probe&apos;s repeats</source>
        <translation>%1, kleinster Wert %2, größter %3 der Wiederholungen der Messung</translation>
    </message>
    <message>
        <source>Measured on this machine with 1 thread.</source>
        <translation>Auf dieser Maschine mit 1 Thread gemessen.</translation>
    </message>
    <message>
        <source>Measured on this machine with %1 threads.</source>
        <translation>Auf dieser Maschine mit %1 Threads gemessen.</translation>
    </message>
    <message>
        <source>your prediction</source>
        <translation>deine Vorhersage</translation>
    </message>
    <message>
        <source>one dot per op; area = time</source>
        <translation>ein Punkt je Op; Fläche = Zeit</translation>
    </message>
    <message>
        <source>filled: the nearest roof</source>
        <translation>gefüllt: das nächste Dach</translation>
    </message>
    <message>
        <source>area = time</source>
        <translation>Fläche = Zeit</translation>
    </message>
    <message>
        <source>Run a workload or open a .tide file to see each op as a dot under the measured roofs of this machine.</source>
        <translation>Starte einen Workload oder öffne eine .tide-Datei, um jede Op als Punkt unter den gemessenen Dächern dieser Maschine zu sehen.</translation>
    </message>
    <message>
        <source>No op with FLOPs was timed</source>
        <translation>Zu keiner Op mit FLOPs gibt es eine Zeit</translation>
    </message>
    <message>
        <source>The roofline needs ops with known FLOPs, bytes and times. The trace names none; the Timeline shows what it recorded.</source>
        <translation>Das Roofline-Bild braucht Ops mit bekannten FLOPs, Bytes und Zeiten. Die Spur nennt keine; die Zeitleiste zeigt, was sie aufgezeichnet hat.</translation>
    </message>
    <message>
        <source>The roofline needs ops that compute and a measured time for each. This run has none; Traffic and Ops show what it did.</source>
        <translation>Das Roofline-Bild braucht Ops, die rechnen, und zu jeder eine gemessene Zeit. Dieser Lauf hat keine; Verkehr und Ops zeigen, was er tat.</translation>
    </message>
    <message>
        <source>No op with known FLOPs was timed.</source>
        <translation>Zu keiner Op mit bekannten FLOPs gibt es eine Zeit.</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>Fortschritt des Laufs</translation>
    </message>
    <message>
        <source>%1, which this run used, was not found: open the model file to run it.</source>
        <translation>%1, das dieser Lauf brauchte, wurde nicht gefunden: öffne die Modelldatei, um ihn zu starten.</translation>
    </message>
    <message>
        <source>A run goes on: wait until it has ended, or cancel it.</source>
        <translation>Ein Lauf ist im Gang: warte auf sein Ende, oder brich ihn ab.</translation>
    </message>
    <message>
        <source>Looking for %1 …</source>
        <translation>%1 wird gesucht …</translation>
    </message>
    <message>
        <source>Cancelling: the step that runs now is finished first</source>
        <translation>Abbruch: der laufende Schritt wird noch beendet</translation>
    </message>
    <message>
        <source>Open the changed run</source>
        <translation>Den geänderten Lauf öffnen</translation>
    </message>
    <message>
        <source>The roofs of this machine were measured.</source>
        <translation>Die Dächer dieser Maschine wurden gemessen.</translation>
    </message>
    <message>
        <source>A run goes on: open %1 when it has ended.</source>
        <translation>Ein Lauf ist im Gang: öffne %1, wenn er geendet hat.</translation>
    </message>
    <message>
        <source>Importing %1 …</source>
        <translation>%1 wird importiert …</translation>
    </message>
    <message>
        <source>Several traces</source>
        <translation>Mehrere Spuren</translation>
    </message>
    <message>
        <source>What are these %1 traces?

%2</source>
        <translation>Was sind diese %1 Spuren?

%2</translation>
    </message>
    <message>
        <source>&amp;Ranks of one run</source>
        <translation>&amp;Ränge eines Laufs</translation>
    </message>
    <message>
        <source>Runs to &amp;compare</source>
        <translation>Läufe zum &amp;Vergleichen</translation>
    </message>
    <message>
        <source>%1 (*%2)</source>
        <translation>%1 (*%2)</translation>
    </message>
    <message>
        <source>Export the selected range as a trace</source>
        <translation>Den gewählten Bereich als Spur exportieren</translation>
    </message>
    <message>
        <source>Export as a trace</source>
        <translation>Als Spur exportieren</translation>
    </message>
    <message>
        <source>Exporting %1 …</source>
        <translation>%1 wird exportiert …</translation>
    </message>
    <message>
        <source>Trace saved to %1</source>
        <translation>Spur gespeichert in %1</translation>
    </message>
    <message>
        <source>What you run or open appears here.</source>
        <translation>Was du startest oder öffnest, erscheint hier.</translation>
    </message>
    <message>
        <source>Compare the one shown with this one</source>
        <translation>Den gezeigten mit diesem vergleichen</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>gezeigt</translation>
    </message>
    <message>
        <source>Run in progress</source>
        <translation>Lauf im Gang</translation>
    </message>
    <message>
        <source>Ends it after the current step. What was recorded is kept (Ctrl+.).</source>
        <translation>Beendet ihn nach dem jetzigen Schritt. Was aufgezeichnet ist, bleibt (Strg+.).</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>Zeit des Schritts</translation>
    </message>
    <message>
        <source>Wall time of the step that ended last (measured)</source>
        <translation>Zeit des zuletzt beendeten Schritts (gemessen)</translation>
    </message>
    <message>
        <source>Measured steps</source>
        <translation>Gemessene Schritte</translation>
    </message>
    <message>
        <source>Steps of the recording so far, without warm-up</source>
        <translation>Schritte der Aufzeichnung bisher, ohne Anlauf</translation>
    </message>
    <message>
        <source>Arithmetic</source>
        <translation>Arithmetik</translation>
    </message>
    <message>
        <source>FLOPs of a step (exact) per time of the last step (measured)</source>
        <translation>FLOPs eines Schritts (exakt) je Zeit des letzten (gemessen)</translation>
    </message>
    <message>
        <source>Operand bytes</source>
        <translation>Bytes der Operanden</translation>
    </message>
    <message>
        <source>Bytes that the ops of a step read and write, each operand once (exact), and their rate</source>
        <translation>Bytes, die die Ops eines Schritts lesen und schreiben, jeder Operand einmal (exakt), und ihre Rate</translation>
    </message>
    <message>
        <source>Values, weights and workspace that the run holds (planned)</source>
        <translation>Werte, Gewichte und Zwischenspeicher des Laufs (geplant)</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>After the last step. Of a GPU it is read at the end of the run.</source>
        <translation>Nach dem letzten Schritt. Von einer GPU wird er am Ende des Laufs gelesen.</translation>
    </message>
    <message>
        <source>Step times so far</source>
        <translation>Zeiten der Schritte bisher</translation>
    </message>
    <message>
        <source>Loss so far</source>
        <translation>Verlust bisher</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Beginnt…</translation>
    </message>
    <message>
        <source>not a number</source>
        <translation>keine Zahl</translation>
    </message>
    <message>
        <source>HTML, one file (*.html);;PDF (*.pdf)</source>
        <translation>HTML, eine Datei (*.html);;PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Report saved to %1</source>
        <translation>Bericht gespeichert in %1</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Export picture</source>
        <translation>Bild exportieren</translation>
    </message>
    <message>
        <source>PNG, twice the size (*.png);;SVG (*.svg);;PDF (*.pdf)</source>
        <translation>PNG, doppelte Größe (*.png);;SVG (*.svg);;PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Picture saved to %1</source>
        <translation>Bild gespeichert in %1</translation>
    </message>
    <message>
        <source>Export data</source>
        <translation>Daten exportieren</translation>
    </message>
    <message>
        <source>Data saved to %1</source>
        <translation>Daten gespeichert in %1</translation>
    </message>
    <message>
        <source>%1: the data behind the picture</source>
        <translation>%1: die Daten hinter dem Bild</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Pages of settings</source>
        <translation>Seiten der Einstellungen</translation>
    </message>
    <message>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <source>Restore sets theme, scale, language, units and session as they were at the first start.</source>
        <translation>Zurücksetzen stellt Farben, Größe, Sprache, Einheiten und Sitzung wie beim ersten Start.</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Restore chooses the usual folders. It moves and deletes no file.</source>
        <translation>Zurücksetzen wählt die üblichen Ordner. Es verschiebt und löscht keine Datei.</translation>
    </message>
    <message>
        <source>Restore gives every command the key it had at the first start.</source>
        <translation>Zurücksetzen gibt jedem Befehl die Taste des ersten Starts.</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Closes the window and opens it again with what is on the table</source>
        <translation>Schließt das Fenster und öffnet es wieder mit dem, was gezeigt wird</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>A new scale is used from the next start on.</source>
        <translation>Eine neue Größe gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Of the window and of lessons, from the next start on. Reports and the command line are in English.</source>
        <translation>Des Fensters und der Lektionen, ab dem nächsten Start. Berichte und die Befehlszeile sind englisch.</translation>
    </message>
    <message>
        <source>Units of bytes</source>
        <translation>Einheiten der Bytes</translation>
    </message>
    <message>
        <source>Powers of ten: kB, MB, GB/s</source>
        <translation>Zehnerpotenzen: kB, MB, GB/s</translation>
    </message>
    <message>
        <source>Powers of two: KiB, MiB, GiB/s</source>
        <translation>Zweierpotenzen: KiB, MiB, GiB/s</translation>
    </message>
    <message>
        <source>Of tensors, traffic and rates. Sizes of caches and memories are powers of two in either case.</source>
        <translation>Von Tensoren, Verkehr und Raten. Größen von Caches und Speichern sind in jedem Fall Zweierpotenzen.</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <source>Opens the captures and the view that were shown last. Files named on the command line are opened instead.</source>
        <translation>Öffnet die zuletzt gezeigten Aufzeichnungen und die Ansicht. Dateien der Befehlszeile gehen vor.</translation>
    </message>
    <message>
        <source>Captures</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>Runs and imported traces of this window are written here.</source>
        <translation>Läufe und importierte Spuren dieses Fensters werden hierhin geschrieben.</translation>
    </message>
    <message>
        <source>Exports</source>
        <translation>Exporte</translation>
    </message>
    <message>
        <source>Reports, pictures, data and traces are saved here unless you choose another folder. Usually it is the folder where the window was started.</source>
        <translation>Berichte, Bilder, Daten und Spuren werden hier gespeichert, wenn du keinen anderen Ordner wählst. Üblich ist der Ordner, in dem das Fenster gestartet wurde.</translation>
    </message>
    <message>
        <source>Folder of %1</source>
        <translation>Ordner für %1</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Choose the folder of %1</source>
        <translation>Den Ordner für %1 wählen</translation>
    </message>
    <message>
        <source>%1 is not a full path. Type one that begins with /.</source>
        <translation>%1 ist kein voller Pfad. Tippe einen, der mit / beginnt.</translation>
    </message>
    <message>
        <source>There is no folder %1. Choose one that is there.</source>
        <translation>Den Ordner %1 gibt es nicht. Wähle einen, der da ist.</translation>
    </message>
    <message>
        <source>Nothing can be written to %1. Choose another folder.</source>
        <translation>In %1 lässt sich nichts schreiben. Wähle einen anderen Ordner.</translation>
    </message>
    <message>
        <source>The new scale is used from the next start on.</source>
        <translation>Die neue Größe gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>A change of the scale takes effect at the next start.</source>
        <translation>Eine Änderung der Größe wirkt beim nächsten Start.</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>Workload</translation>
    </message>
    <message>
        <source>Open your own model as a workload: an ONNX file, or a network described in JSON</source>
        <translation>Dein Modell als Workload öffnen: eine ONNX-Datei oder ein Netz in JSON</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>Eine Modelldatei öffnen</translation>
    </message>
    <message>
        <source>Collect</source>
        <translation>Sammeln</translation>
    </message>
    <message>
        <source>How to run</source>
        <translation>Wie es läuft</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>Als Befehl kopieren</translation>
    </message>
    <message>
        <source>Ask first</source>
        <translation>Vorher fragen</translation>
    </message>
    <message>
        <source>What would this run need, and how long would it take elsewhere?</source>
        <translation>Was bräuchte dieser Lauf, und wie lange dauerte er anderswo?</translation>
    </message>
    <message>
        <source>Show the network</source>
        <translation>Das Netz zeigen</translation>
    </message>
    <message>
        <source>Shows layers, shapes, FLOPs, bytes and memory without running anything</source>
        <translation>Zeigt Schichten, Formen, FLOPs, Bytes und Speicher, ohne etwas auszuführen</translation>
    </message>
    <message>
        <source>Leaves the form as it is. Open the model file yourself to run it again.</source>
        <translation>Lässt das Formular, wie es ist. Öffne die Modelldatei selbst, um sie noch einmal auszuführen.</translation>
    </message>
    <message>
        <source>Checking %1: %2 %</source>
        <translation>%1 wird geprüft: %2 %</translation>
    </message>
    <message>
        <source>as in the file</source>
        <translation>wie in der Datei</translation>
    </message>
    <message>
        <source>Preset: defaults</source>
        <translation>Voreinstellung: übliche Werte</translation>
    </message>
    <message>
        <source>Preset: %1</source>
        <translation>Voreinstellung: %1</translation>
    </message>
    <message>
        <source>A network described in JSON, which cannot be read as it is: correct the file and open it again.</source>
        <translation>Ein Netz in JSON, das so nicht lesbar ist: berichtige die Datei und öffne sie wieder.</translation>
    </message>
    <message>
        <source>A model file, run as it is written (inference). Ops that are not supported are listed, none is skipped.</source>
        <translation>Eine Modelldatei, ausgeführt, wie sie geschrieben ist (Inferenz). Nicht unterstützte Ops werden genannt, keine wird übergangen.</translation>
    </message>
    <message>
        <source>As in the file</source>
        <translation>Wie in der Datei</translation>
    </message>
    <message>
        <source>Copies the line that runs this in a terminal: %1</source>
        <translation>Kopiert die Zeile, die dies im Terminal ausführt: %1</translation>
    </message>
    <message>
        <source>The form needs a correction first</source>
        <translation>Das Formular braucht zuerst eine Berichtigung</translation>
    </message>
    <message>
        <source>■ Cancel</source>
        <translation>■ Abbrechen</translation>
    </message>
    <message>
        <source>▶ Run</source>
        <translation>▶ Starten</translation>
    </message>
    <message>
        <source>Ends the run after the current step; what was recorded is kept (Ctrl+.)</source>
        <translation>Beendet den Lauf nach dem jetzigen Schritt; was aufgezeichnet ist, bleibt (Strg+.)</translation>
    </message>
    <message>
        <source>Runs this workload and opens its capture (Ctrl+R)</source>
        <translation>Führt diesen Workload aus und öffnet seine Aufzeichnung (Strg+R)</translation>
    </message>
    <message>
        <source>: step %1 of %2</source>
        <translation>: Schritt %1 von %2</translation>
    </message>
    <message>
        <source>: step %1</source>
        <translation>: Schritt %1</translation>
    </message>
    <message>
        <source>last step %1</source>
        <translation>letzter Schritt %1</translation>
    </message>
    <message>
        <source>Divider between picture and list</source>
        <translation>Trennlinie zwischen Bild und Liste</translation>
    </message>
    <message>
        <source>Drag to resize. Double-click for the usual size.</source>
        <translation>Ziehen ändert die Größe. Doppelklick für die übliche Größe.</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>Startseite</translation>
    </message>
    <message>
        <source>Where do the time and the bytes of a tensor workload go?</source>
        <translation>Wohin gehen Zeit und Bytes eines Tensor-Workloads?</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Opens a capture, a sweep, a trace of another tool, an ONNX model or a network in JSON</source>
        <translation>Öffnet eine Aufzeichnung, eine Messreihe, eine Spur eines anderen Programms, ein ONNX-Modell oder ein Netz in JSON</translation>
    </message>
    <message>
        <source>or drop files here: captures, traces of other tools, models</source>
        <translation>oder ziehe Dateien hierher: Aufzeichnungen, Spuren anderer Programme, Modelle</translation>
    </message>
    <message>
        <source>Search workloads</source>
        <translation>Workloads suchen</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>Shows the cards of all workloads</source>
        <translation>Zeigt die Karten aller Workloads</translation>
    </message>
    <message>
        <source>Search all %1 workloads by name or by what they teach</source>
        <translation>Alle %1 Workloads nach Namen durchsuchen, oder nach dem, was sie lehren</translation>
    </message>
    <message>
        <source>Set up %1</source>
        <translation>%1 einrichten</translation>
    </message>
    <message>
        <source>No workload matches “%1”.</source>
        <translation>Kein Workload passt zu „%1“.</translation>
    </message>
    <message>
        <source>1 match</source>
        <translation>1 Treffer</translation>
    </message>
    <message>
        <source>%1 matches</source>
        <translation>%1 Treffer</translation>
    </message>
    <message>
        <source>%1 is no longer there.</source>
        <translation>%1 ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Tensor to begin with</source>
        <translation>Tensor zu Beginn</translation>
    </message>
    <message>
        <source>What the last op did</source>
        <translation>Was die letzte Op tat</translation>
    </message>
    <message>
        <source>Map of the buffer&apos;s bytes</source>
        <translation>Karte der Bytes des Puffers</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Offset</source>
        <translation>Versatz</translation>
    </message>
    <message>
        <source>Buffer</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Elements to the next index along each axis</source>
        <translation>Elemente bis zum nächsten Index entlang jeder Achse</translation>
    </message>
    <message>
        <source>Elements from the start of the buffer to the first one</source>
        <translation>Elemente vom Anfang des Puffers bis zum ersten</translation>
    </message>
    <message>
        <source>Bytes that were written to a new buffer</source>
        <translation>Bytes, die in einen neuen Puffer geschrieben wurden</translation>
    </message>
    <message>
        <source>New shape</source>
        <translation>Neue Form</translation>
    </message>
    <message>
        <source>Extents such as 6x4; in a reshape one may be -1</source>
        <translation>Ausdehnungen wie 6x4; beim Umformen darf eine -1 sein</translation>
    </message>
    <message>
        <source>Reshape</source>
        <translation>Umformen</translation>
    </message>
    <message>
        <source>The same elements in row-major order under a new shape</source>
        <translation>Dieselben Elemente in Zeilenordnung unter neuer Form</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>Ausdehnen</translation>
    </message>
    <message>
        <source>Repeats axes of extent 1, and adds leading axes, with stride 0</source>
        <translation>Wiederholt Achsen der Ausdehnung 1 und ergänzt vordere Achsen, mit Schrittweite 0</translation>
    </message>
    <message>
        <source>axis</source>
        <translation>Achse</translation>
    </message>
    <message>
        <source>and</source>
        <translation>und</translation>
    </message>
    <message>
        <source>Transpose</source>
        <translation>Transponieren</translation>
    </message>
    <message>
        <source>Exchanges two axes</source>
        <translation>Vertauscht zwei Achsen</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>Ausschneiden</translation>
    </message>
    <message>
        <source>Elements of an axis from a start up to, not including, an end</source>
        <translation>Elemente einer Achse von einem Anfang bis vor ein Ende</translation>
    </message>
    <message>
        <source>Contiguous</source>
        <translation>Zusammenlegen</translation>
    </message>
    <message>
        <source>A row-major copy; the tensor itself where it is row-major</source>
        <translation>Eine Kopie in Zeilenordnung; der Tensor selbst, wo er schon so liegt</translation>
    </message>
    <message>
        <source>Write first element</source>
        <translation>Erstes Element schreiben</translation>
    </message>
    <message>
        <source>Sets it to -1: every tensor over that byte sees it</source>
        <translation>Setzt es auf -1: jeder Tensor über diesem Byte sieht es</translation>
    </message>
    <message>
        <source>The first element of %1 is -1 now, and so it is for every tensor over that byte of buffer %2.</source>
        <translation>Das erste Element von %1 ist nun -1, und so ist es für jeden Tensor über diesem Byte des Puffers %2.</translation>
    </message>
    <message>
        <source>Only the tensor to begin with</source>
        <translation>Nur der Tensor zu Beginn</translation>
    </message>
    <message>
        <source>Of the capture: %1</source>
        <translation>Der Aufzeichnung: %1</translation>
    </message>
    <message>
        <source>A tensor of the capture with its own strides; values are counted up from 0.</source>
        <translation>Ein Tensor der Aufzeichnung mit seinen eigenen Schrittweiten; Werte zählen ab 0.</translation>
    </message>
    <message>
        <source>Reshape, transpose, slice and expand are new views of the same bytes. Bytes are copied only where no strides describe the new shape.</source>
        <translation>Umformen, Transponieren, Ausschneiden und Ausdehnen sind neue Sichten auf dieselben Bytes. Kopiert wird nur, wo keine Schrittweiten die neue Form beschreiben.</translation>
    </message>
    <message>
        <source>%1 = %2: no strides over the old buffer give this, so %3 were copied to buffer %4.</source>
        <translation>%1 = %2: keine Schrittweiten über dem alten Puffer ergeben dies, also wurden %3 in den Puffer %4 kopiert.</translation>
    </message>
    <message>
        <source>%1 = %2: a view of buffer %3, no byte was moved.</source>
        <translation>%1 = %2: eine Sicht auf Puffer %3, kein Byte wurde bewegt.</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>Buffer %1: %2, %3. %4 names %5 of them.</source>
        <translation>Puffer %1: %2, %3. %4 nennt %5 davon.</translation>
    </message>
    <message>
        <source>1 element</source>
        <translation>1 Element</translation>
    </message>
    <message>
        <source>%1 elements</source>
        <translation>%1 Elemente</translation>
    </message>
    <message>
        <source>No map</source>
        <translation>Keine Karte</translation>
    </message>
    <message>
        <source>One cell is one element.</source>
        <translation>Eine Zelle ist ein Element.</translation>
    </message>
    <message>
        <source>One cell is %L1 elements.</source>
        <translation>Eine Zelle sind %L1 Elemente.</translation>
    </message>
    <message>
        <source> Dark: read early, light: read late, grey: not named.</source>
        <translation> Dunkel: früh gelesen, hell: spät gelesen, grau: nicht genannt.</translation>
    </message>
    <message>
        <source>No bytes</source>
        <translation>Keine Bytes</translation>
    </message>
    <message>
        <source>The tensor has no elements.</source>
        <translation>Der Tensor hat keine Elemente.</translation>
    </message>
    <message>
        <source>Bytes %L1 to %L2</source>
        <translation>Bytes %L1 bis %L2</translation>
    </message>
    <message>
        <source>%1 does not name them.</source>
        <translation>%1 nennt sie nicht.</translation>
    </message>
    <message>
        <source>Read at %L1 positions</source>
        <translation>Gelesen an %L1 Stellen</translation>
    </message>
    <message>
        <source>%L1 of %L2 elements named; the first is %3</source>
        <translation>%L1 von %L2 Elementen genannt; das erste ist %3</translation>
    </message>
    <message>
        <source>Value %1</source>
        <translation>Wert %1</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <source>Try finding %1</source>
        <translation>Befund %1 ausprobieren</translation>
    </message>
    <message>
        <source>%1 anyway: %2</source>
        <translation>%1 trotzdem: %2</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;&lt;p&gt;%2&lt;/p&gt;&lt;p&gt;Expected: %3 (modelled: %4).&lt;/p&gt;</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;&lt;p&gt;%2&lt;/p&gt;&lt;p&gt;Erwartet: %3 (modelliert: %4).&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Shown below and in the other views: its point %1.</source>
        <translation>Unten und in den anderen Ansichten: ihr Punkt %1.</translation>
    </message>
    <message>
        <source>The view Sweep shows all points; the figures here and the other views are of one of them. Choose a point in Sweep to see another.</source>
        <translation>Die Ansicht Messreihe zeigt alle Punkte; die Zahlen hier und in den anderen Ansichten sind von einem. Wähle in der Messreihe einen anderen.</translation>
    </message>
    <message>
        <source>The view Sweep shows all points; the figures here and the other views are of a capture that is none of them. Choose a point in Sweep to see it here.</source>
        <translation>Die Ansicht Messreihe zeigt alle Punkte; die Zahlen hier und in den anderen Ansichten sind von einer Aufzeichnung, die keiner davon ist. Wähle in der Messreihe einen Punkt.</translation>
    </message>
    <message>
        <source>The view Sweep shows all points. Choose one there to see its figures here and in the other views.</source>
        <translation>Die Ansicht Messreihe zeigt alle Punkte. Wähle dort einen, um seine Zahlen hier und in den anderen Ansichten zu sehen.</translation>
    </message>
    <message>
        <source>&lt;b&gt;The step by what limits it&lt;/b&gt;&lt;table&gt;%1&lt;/table&gt;&lt;p&gt;The rest passes outside all ops, or its ops differ from their medians. Verdicts are modelled from exact FLOPs, the best known bytes, measured times and measured roofs. Select an op to read why.&lt;/p&gt;&lt;p&gt;Origin: &lt;b&gt;modelled&lt;/b&gt;; shares are of measured times.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Der Schritt nach dem, was ihn begrenzt&lt;/b&gt;&lt;table&gt;%1&lt;/table&gt;&lt;p&gt;Der Rest vergeht außerhalb aller Ops, oder ihre Ops weichen von ihren Medianen ab. Urteile sind modelliert aus exakten FLOPs, den besten bekannten Bytes, gemessenen Zeiten und gemessenen Dächern. Wähle eine Op, um den Grund zu lesen.&lt;/p&gt;&lt;p&gt;Herkunft: &lt;b&gt;modelliert&lt;/b&gt;; Anteile sind von gemessenen Zeiten.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Sweep %1</source>
        <translation>Messreihe %1</translation>
    </message>
    <message>
        <source>Runs the settings of the form at the left for each value. Each run is a fresh process; values take turns until the noise is small.</source>
        <translation>Führt die Einstellungen des Formulars links für jeden Wert aus. Jeder Lauf ist ein neuer Prozess; Werte wechseln sich ab, bis das Rauschen klein ist.</translation>
    </message>
    <message>
        <source>Study</source>
        <translation>Studie</translation>
    </message>
    <message>
        <source>Own axes</source>
        <translation>Eigene Achsen</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>No further process is started after this many seconds; the same sweep can go on later</source>
        <translation>Nach so vielen Sekunden beginnt kein weiterer Prozess; dieselbe Messreihe kann später weitergehen</translation>
    </message>
    <message>
        <source>Stop after [s]</source>
        <translation>Aufhören nach [s]</translation>
    </message>
    <message>
        <source>Simulate the caches of each point</source>
        <translation>Die Caches jedes Punkts simulieren</translation>
    </message>
    <message>
        <source>When all points are measured: the bytes that the step of each moves over each link of the memory hierarchy. At most a minute a point</source>
        <translation>Wenn alle Punkte gemessen sind: die Bytes, die der Schritt jedes Punkts über jede Verbindung der Speicher bewegt. Höchstens eine Minute je Punkt</translation>
    </message>
    <message>
        <source>Estimate its time</source>
        <translation>Dauer schätzen</translation>
    </message>
    <message>
        <source>Runs the points with the shortest and the longest predicted step once, and extrapolates from them</source>
        <translation>Führt die Punkte mit dem kürzesten und dem längsten vorhergesagten Schritt einmal aus und rechnet daraus hoch</translation>
    </message>
    <message>
        <source>Start the sweep</source>
        <translation>Messreihe starten</translation>
    </message>
    <message>
        <source>Stop estimating</source>
        <translation>Schätzung anhalten</translation>
    </message>
    <message>
        <source>Two points are measured …</source>
        <translation>Zwei Punkte werden gemessen …</translation>
    </message>
    <message>
        <source>There is no estimate: %1</source>
        <translation>Es gibt keine Schätzung: %1</translation>
    </message>
    <message>
        <source>Values: 1,2,4..512 goes on with the list&apos;s step or factor; 1..64 doubles; 0..100+20 adds; f32,bf16 lists.</source>
        <translation>Werte: 1,2,4..512 setzt Schritt oder Faktor der Liste fort; 1..64 verdoppelt; 0..100+20 addiert; f32,bf16 zählt auf.</translation>
    </message>
    <message>
        <source> Runs %1, not the settings of the form.</source>
        <translation> Führt %1 aus, nicht die Einstellungen des Formulars.</translation>
    </message>
    <message>
        <source>Axis %1</source>
        <translation>Achse %1</translation>
    </message>
    <message>
        <source>Values of axis %1</source>
        <translation>Werte der Achse %1</translation>
    </message>
    <message>
        <source>(no second axis)</source>
        <translation>(keine zweite Achse)</translation>
    </message>
    <message>
        <source>Both axes are %1.</source>
        <translation>Beide Achsen sind %1.</translation>
    </message>
    <message>
        <source>Stop after: &quot;%1&quot; is no number of seconds.</source>
        <translation>Aufhören nach: „%1“ ist keine Zahl von Sekunden.</translation>
    </message>
    <message>
        <source>1 point, at least 3 processes.</source>
        <translation>1 Punkt, mindestens 3 Prozesse.</translation>
    </message>
    <message>
        <source>%1 points, at least 3 processes each.</source>
        <translation>%1 Punkte, mindestens je 3 Prozesse.</translation>
    </message>
    <message>
        <source>Table 7 of Shi et al. 2016, arXiv 1608.07249 v7: training, minibatch %1</source>
        <translation>Tabelle 7 von Shi et al. 2016, arXiv 1608.07249 v7: Training, Minibatch %1</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Wärmebild</translation>
    </message>
    <message>
        <source>Losses</source>
        <translation>Verluste</translation>
    </message>
    <message>
        <source>Open this point&apos;s capture</source>
        <translation>Aufzeichnung dieses Punkts öffnen</translation>
    </message>
    <message>
        <source>Results of the sweep</source>
        <translation>Ergebnisse der Messreihe</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Messreihe</translation>
    </message>
    <message>
        <source>Sweep: figures over the settings that were varied</source>
        <translation>Messreihe: Zahlen über den Einstellungen, die sich änderten</translation>
    </message>
    <message>
        <source>What is shown</source>
        <translation>Was gezeigt wird</translation>
    </message>
    <message>
        <source>Curves of the sweep</source>
        <translation>Kurven der Messreihe</translation>
    </message>
    <message>
        <source>Points of the sweep as a picture</source>
        <translation>Punkte der Messreihe als Bild</translation>
    </message>
    <message>
        <source>Points of the sweep</source>
        <translation>Punkte der Messreihe</translation>
    </message>
    <message>
        <source>Steps of training</source>
        <translation>Schritte des Trainings</translation>
    </message>
    <message>
        <source>Loss (measured)</source>
        <translation>Verlust (gemessen)</translation>
    </message>
    <message>
        <source>Arithmetic intensity [FLOP per byte through DRAM, modelled]</source>
        <translation>Arithmetische Intensität [FLOP je Byte durch den DRAM, modelliert]</translation>
    </message>
    <message>
        <source>Performance [GFLOP/s, measured]</source>
        <translation>Leistung [GFLOP/s, gemessen]</translation>
    </message>
    <message>
        <source>loss %1 after %L2 steps</source>
        <translation>Verlust %1 nach %L2 Schritten</translation>
    </message>
    <message>
        <source>Computed by the run in its number format; the thick line is the median over seeds</source>
        <translation>Vom Lauf in seinem Zahlenformat berechnet; die dicke Linie ist der Median über die Seeds</translation>
    </message>
    <message>
        <source>Unfinished: the same sweep goes on with these points.</source>
        <translation>Unfertig: dieselbe Messreihe geht mit diesen Punkten weiter.</translation>
    </message>
    <message>
        <source>
%1 to %2 over %3 processes</source>
        <translation>
%1 bis %2 über %3 Prozesse</translation>
    </message>
    <message>
        <source>
roofline prediction %1 (modelled)</source>
        <translation>
Vorhersage der Roofline %1 (modelliert)</translation>
    </message>
    <message>
        <source>
limited by %1</source>
        <translation>
begrenzt durch %1</translation>
    </message>
    <message>
        <source>No point has a place here</source>
        <translation>Kein Punkt hat hier einen Platz</translation>
    </message>
    <message>
        <source>It needs FLOPs and bytes through DRAM: these steps compute nothing, or stay in the caches (modelled).</source>
        <translation>Er braucht FLOPs und Bytes durch den DRAM: diese Schritte rechnen nichts oder bleiben in den Caches (modelliert).</translation>
    </message>
    <message>
        <source>No point has this figure</source>
        <translation>Kein Punkt hat diese Zahl</translation>
    </message>
    <message>
        <source>One axis</source>
        <translation>Eine Achse</translation>
    </message>
    <message>
        <source>A heat map needs two axes. Points and the table below show every point.</source>
        <translation>Ein Wärmebild braucht zwei Achsen. Punkte und die Tabelle unten zeigen jeden Punkt.</translation>
    </message>
    <message>
        <source>roofline prediction before the run (modelled, a bound)</source>
        <translation>Vorhersage der Roofline vor dem Lauf (modelliert, eine Grenze)</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>thin: each seed, thick: their median</source>
        <translation>dünn: jeder Seed, dick: ihr Median</translation>
    </message>
    <message>
        <source>published (specified): ○ CPUs, □ GPUs, × left out</source>
        <translation>veröffentlicht (angegeben): ○ CPUs, □ GPUs, × ausgelassen</translation>
    </message>
    <message>
        <source>from point to point</source>
        <translation>von Punkt zu Punkt</translation>
    </message>
    <message>
        <source>roofs of this machine (%1); each way starts at the hollow dot</source>
        <translation>Dächer dieser Maschine (%1); jeder Weg beginnt am hohlen Punkt</translation>
    </message>
    <message>
        <source>published (specified): ○ i7-3820, □ 2x E5-2630 v3, × left out</source>
        <translation>veröffentlicht (angegeben): ○ i7-3820, □ 2x E5-2630 v3, × ausgelassen</translation>
    </message>
    <message>
        <source> (%1 to %2)</source>
        <translation> (%1 bis %2)</translation>
    </message>
    <message>
        <source>dotted: Amdahl&apos;s law, serial part %1</source>
        <translation>gepunktet: Amdahls Gesetz, serieller Teil %1</translation>
    </message>
    <message>
        <source>No sweep on the table</source>
        <translation>Keine Messreihe geöffnet</translation>
    </message>
    <message>
        <source>Choose Run &gt; Sweep to run this workload over batch sizes, dtypes or threads, or open a sweep&apos;s .tide file. Curves then show where the knee is and why.</source>
        <translation>Wähle Lauf &gt; Messreihe, um diesen Workload über Batchgrößen, Datentypen oder Threads auszuführen, oder öffne die .tide-Datei einer Messreihe. Kurven zeigen dann, wo das Knie ist und warum.</translation>
    </message>
    <message>
        <source>A trace of another tool cannot be run again over other settings.</source>
        <translation>Eine Spur eines anderen Programms lässt sich nicht mit anderen Einstellungen wiederholen.</translation>
    </message>
    <message>
        <source>Each element keeps a weight. Inputs enter at the left and move right, sums move down. Memory is read once per operand. A size of 64 is an illustration: real arrays are 128 or 256 wide (TPU v2 and v1).</source>
        <translation>Jedes Element behält ein Gewicht. Eingaben treten links ein und wandern nach rechts, Summen wandern nach unten. Der Speicher wird je Operand einmal gelesen. Eine Größe von 64 dient der Anschauung: echte Arrays sind 128 oder 256 breit (TPU v2 und v1).</translation>
    </message>
    <message>
        <source>The array at this cycle</source>
        <translation>Das Array in diesem Takt</translation>
    </message>
    <message>
        <source>Figures of this cycle</source>
        <translation>Zahlen dieses Takts</translation>
    </message>
    <message>
        <source>Elements a side</source>
        <translation>Elemente je Seite</translation>
    </message>
    <message>
        <source>Input rows</source>
        <translation>Zeilen der Eingabe</translation>
    </message>
    <message>
        <source>Rows of the input matrix, one after the other</source>
        <translation>Zeilen der Eingabematrix, eine nach der anderen</translation>
    </message>
    <message>
        <source>One cycle back (Left)</source>
        <translation>Einen Takt zurück (Links)</translation>
    </message>
    <message>
        <source>Goes on cycle by cycle (Space)</source>
        <translation>Läuft Takt für Takt weiter (Leertaste)</translation>
    </message>
    <message>
        <source>One cycle (Right)</source>
        <translation>Einen Takt weiter (Rechts)</translation>
    </message>
    <message>
        <source>Cycle</source>
        <translation>Takt</translation>
    </message>
    <message>
        <source>The cycle that is shown (Home, End)</source>
        <translation>Der Takt, der gezeigt wird (Pos1, Ende)</translation>
    </message>
    <message>
        <source>Cycles per second, 1 to 60</source>
        <translation>Takte je Sekunde, 1 bis 60</translation>
    </message>
    <message>
        <source>%L1 of %L2, each %3</source>
        <translation>%L1 von %L2, jedes %3</translation>
    </message>
    <message>
        <source>up to %1 times</source>
        <translation>bis zu %1-mal</translation>
    </message>
    <message>
        <source>all results are out</source>
        <translation>alle Ergebnisse sind da</translation>
    </message>
    <message>
        <source>loading weights</source>
        <translation>Gewichte werden geladen</translation>
    </message>
    <message>
        <source>computing</source>
        <translation>rechnet</translation>
    </message>
    <message>
        <source>At work</source>
        <translation>Bei der Arbeit</translation>
    </message>
    <message>
        <source>%L1 of %L2 elements</source>
        <translation>%L1 von %L2 Elementen</translation>
    </message>
    <message>
        <source>Multiply-adds</source>
        <translation>Multiply-Adds</translation>
    </message>
    <message>
        <source>Input reads</source>
        <translation>Lesezugriffe auf Eingaben</translation>
    </message>
    <message>
        <source>Weight reads</source>
        <translation>Lesezugriffe auf Gewichte</translation>
    </message>
    <message>
        <source>Without an array</source>
        <translation>Ohne ein Array</translation>
    </message>
    <message>
        <source>%L1 reads, two per multiply-add</source>
        <translation>%L1 Lesezugriffe, zwei je Multiply-Add</translation>
    </message>
    <message>
        <source>Elements used</source>
        <translation>Benutzte Elemente</translation>
    </message>
    <message>
        <source>with loading</source>
        <translation>mit dem Laden</translation>
    </message>
    <message>
        <source>%1 × %1 elements, %2 input rows: %3 cycles to load, then %2 + 2·%1 − 2 = %4. They use %5 of the elements after loading.</source>
        <translation>%1 × %1 Elemente, %2 Zeilen der Eingabe: %3 Takte zum Laden, dann %2 + 2·%1 − 2 = %4. Sie benutzen %5 der Elemente nach dem Laden.</translation>
    </message>
    <message>
        <source>The result equals the matrix multiplication in every element.</source>
        <translation>Das Ergebnis gleicht der Matrixmultiplikation in jedem Element.</translation>
    </message>
    <message>
        <source>The result differs from the matrix multiplication.</source>
        <translation>Das Ergebnis weicht von der Matrixmultiplikation ab.</translation>
    </message>
    <message>
        <source>Counts are simulated, cycle by cycle.</source>
        <translation>Die Zahlen sind simuliert, Takt für Takt.</translation>
    </message>
    <message>
        <source>Elements at work in each cycle, of %L1; dotted: weights are loaded</source>
        <translation>Elemente bei der Arbeit in jedem Takt, von %L1; gepunktet: Gewichte werden geladen</translation>
    </message>
    <message>
        <source>Weights enter, a row per cycle</source>
        <translation>Gewichte treten ein, eine Zeile je Takt</translation>
    </message>
    <message>
        <source>Weights stay; elements at work show their input</source>
        <translation>Gewichte bleiben; Elemente bei der Arbeit zeigen ihre Eingabe</translation>
    </message>
    <message>
        <source>Weights stay; elements at work stand out</source>
        <translation>Gewichte bleiben; Elemente bei der Arbeit treten hervor</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>Results leave, once complete</source>
        <translation>Ergebnisse gehen, sobald sie fertig sind</translation>
    </message>
    <message>
        <source>Element in row %1, column %2</source>
        <translation>Element in Zeile %1, Spalte %2</translation>
    </message>
    <message>
        <source>weight %1</source>
        <translation>Gewicht %1</translation>
    </message>
    <message>
        <source>no weight yet</source>
        <translation>noch kein Gewicht</translation>
    </message>
    <message>
        <source>input %1, sum %2</source>
        <translation>Eingabe %1, Summe %2</translation>
    </message>
    <message>
        <source>no work in this cycle</source>
        <translation>keine Arbeit in diesem Takt</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>%1 [%2, %3] = %4</source>
        <translation>%1 [%2, %3] = %4</translation>
    </message>
    <message>
        <source>a tensor</source>
        <translation>ein Tensor</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>%1 weitere</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Spitze</translation>
    </message>
    <message>
        <source>Tape: what each op stores and frees</source>
        <translation>Band: was jede Op ablegt und freigibt</translation>
    </message>
    <message>
        <source>Op before</source>
        <translation>Op davor</translation>
    </message>
    <message>
        <source>Goes back by one op</source>
        <translation>Geht eine Op zurück</translation>
    </message>
    <message>
        <source>Next op</source>
        <translation>Nächste Op</translation>
    </message>
    <message>
        <source>Goes on by one op</source>
        <translation>Geht eine Op weiter</translation>
    </message>
    <message>
        <source>Goes to the op with most bytes alive</source>
        <translation>Geht zur Op mit den meisten lebenden Bytes</translation>
    </message>
    <message>
        <source>Op of the step</source>
        <translation>Op des Schritts</translation>
    </message>
    <message>
        <source>Checkpointing</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Bytes alive over the ops of the step</source>
        <translation>Lebende Bytes über den Ops des Schritts</translation>
    </message>
    <message>
        <source>This network has no setting for checkpoints.</source>
        <translation>Dieses Netz hat keine Einstellung für Checkpoints.</translation>
    </message>
    <message>
        <source>Only training keeps results for a backward pass.</source>
        <translation>Nur Training behält Ergebnisse für einen Rückwärtsdurchgang.</translation>
    </message>
    <message>
        <source>Plans are made in the window of the program.</source>
        <translation>Pläne entstehen im Fenster des Programms.</translation>
    </message>
    <message>
        <source>Keeps the outputs of every k-th layer and computes the rest again: less memory, more work. The step is planned, not run.</source>
        <translation>Behält die Ausgaben jeder k-ten Schicht und rechnet den Rest noch einmal: weniger Speicher, mehr Arbeit. Der Schritt wird geplant, nicht ausgeführt.</translation>
    </message>
    <message>
        <source>No checkpoints</source>
        <translation>Keine Checkpoints</translation>
    </message>
    <message>
        <source>Checkpoints: %1</source>
        <translation>Checkpoints: %1</translation>
    </message>
    <message>
        <source>Planning …</source>
        <translation>Wird geplant …</translation>
    </message>
    <message>
        <source>Planned, not run: the peak is %1 instead of %2, kept for the backward pass %3 instead of %4, with %5 instead of %6.</source>
        <translation>Geplant, nicht gelaufen: die Spitze ist %1 statt %2, behalten für den Rückwärtsdurchgang %3 statt %4, mit %5 statt %6.</translation>
    </message>
    <message>
        <source>Peak %1, of them kept for the backward pass at most %2; %3 of weights, inputs and states on top.</source>
        <translation>Spitze %1, davon für den Rückwärtsdurchgang behalten höchstens %2; dazu %3 Gewichte, Eingaben und Zustände.</translation>
    </message>
    <message>
        <source>Op %1 of %2: %3 (%4). Stores %5. Frees %6. Alive %7, of them kept for the backward pass %8.</source>
        <translation>Op %1 von %2: %3 (%4). Legt %5 ab. Gibt %6 frei. Lebend %7, davon für den Rückwärtsdurchgang behalten %8.</translation>
    </message>
    <message>
        <source>No tape</source>
        <translation>Kein Band</translation>
    </message>
    <message>
        <source>%1 at the top. Dark: kept for the backward pass; pale: all that is alive</source>
        <translation>%1 am oberen Rand. Dunkel: für den Rückwärtsdurchgang behalten; blass: alles Lebende</translation>
    </message>
    <message>
        <source>; dashed: as it ran</source>
        <translation>; gestrichelt: wie es lief</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Bars over time. Left and right go from bar to bar, up and down between rows.</source>
        <translation>Balken über der Zeit. Links und rechts gehen von Balken zu Balken, auf und ab zwischen Zeilen.</translation>
    </message>
    <message>
        <source>%1, %2, %3 after the start</source>
        <translation>%1, %2, %3 nach dem Beginn</translation>
    </message>
    <message>
        <source>unpin the row</source>
        <translation>die Zeile lösen</translation>
    </message>
    <message>
        <source>pin the row</source>
        <translation>die Zeile anheften</translation>
    </message>
    <message>
        <source>hide the row</source>
        <translation>die Zeile verbergen</translation>
    </message>
    <message>
        <source>move the row</source>
        <translation>die Zeile verschieben</translation>
    </message>
    <message>
        <source>fold the group</source>
        <translation>die Gruppe falten</translation>
    </message>
    <message>
        <source>unfold the group</source>
        <translation>die Gruppe entfalten</translation>
    </message>
    <message>
        <source>show all rows</source>
        <translation>alle Zeilen zeigen</translation>
    </message>
    <message>
        <source>mark</source>
        <translation>Marke</translation>
    </message>
    <message>
        <source>remove the mark</source>
        <translation>die Marke entfernen</translation>
    </message>
    <message>
        <source>save view %1</source>
        <translation>Ansicht %1 speichern</translation>
    </message>
    <message>
        <source>Keys and mouse of the timeline</source>
        <translation>Tasten und Maus der Zeitleiste</translation>
    </message>
    <message>
        <source>What wheel and drag do</source>
        <translation>Was Rad und Ziehen tun</translation>
    </message>
    <message>
        <source>Copy the name</source>
        <translation>Den Namen kopieren</translation>
    </message>
    <message>
        <source>Zoom to this event</source>
        <translation>Auf dieses Ereignis vergrößern</translation>
    </message>
    <message>
        <source>Find all of this name</source>
        <translation>Alle dieses Namens suchen</translation>
    </message>
    <message>
        <source>Statistics of this name</source>
        <translation>Statistik dieses Namens</translation>
    </message>
    <message>
        <source>Go to its op: %1</source>
        <translation>Zu seiner Op gehen: %1</translation>
    </message>
    <message>
        <source>Go to what it launched</source>
        <translation>Zu dem gehen, was er startete</translation>
    </message>
    <message>
        <source>Go to the call that launched it</source>
        <translation>Zum Aufruf gehen, der es startete</translation>
    </message>
    <message>
        <source>Unpin the row</source>
        <translation>Die Zeile lösen</translation>
    </message>
    <message>
        <source>Pin the row</source>
        <translation>Die Zeile anheften</translation>
    </message>
    <message>
        <source>Hide the row</source>
        <translation>Die Zeile verbergen</translation>
    </message>
    <message>
        <source>Move the row up</source>
        <translation>Die Zeile nach oben</translation>
    </message>
    <message>
        <source>Move the row down</source>
        <translation>Die Zeile nach unten</translation>
    </message>
    <message>
        <source>Unfold the group</source>
        <translation>Die Gruppe entfalten</translation>
    </message>
    <message>
        <source>Fold the group</source>
        <translation>Die Gruppe falten</translation>
    </message>
    <message>
        <source>Remove the mark &quot;%1&quot;</source>
        <translation>Die Marke „%1“ entfernen</translation>
    </message>
    <message>
        <source>Undo: %1</source>
        <translation>Rückgängig: %1</translation>
    </message>
    <message>
        <source>Redo: %1</source>
        <translation>Wiederholen: %1</translation>
    </message>
    <message>
        <source>%1 · right-click for more</source>
        <translation>%1 · Rechtsklick für mehr</translation>
    </message>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt; selected</source>
        <translation>&lt;b&gt;%1&lt;/b&gt; gewählt</translation>
    </message>
    <message>
        <source>ops busy %1 (%2)</source>
        <translation>Ops beschäftigt %1 (%2)</translation>
    </message>
    <message>
        <source>between ops %1</source>
        <translation>zwischen Ops %1</translation>
    </message>
    <message>
        <source>in untraced steps %1</source>
        <translation>in Schritten ohne Aufzeichnung %1</translation>
    </message>
    <message>
        <source>between steps %1</source>
        <translation>zwischen Schritten %1</translation>
    </message>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation>
            <numerusform>%n Op</numerusform>
            <numerusform>%n Ops</numerusform>
        </translation>
    </message>
    <message>
        <source>DRAM %1 (%2)</source>
        <translation>DRAM %1 (%2)</translation>
    </message>
    <message>
        <source>most in: %1</source>
        <translation>am meisten in: %1</translation>
    </message>
    <message>
        <source>Timeline: steps, layers and ops over time</source>
        <translation>Zeitleiste: Schritte, Schichten und Ops über der Zeit</translation>
    </message>
    <message>
        <source>Find by name  ( / )</source>
        <translation>Nach Namen suchen  ( / )</translation>
    </message>
    <message>
        <source>Find events by name</source>
        <translation>Ereignisse nach Namen suchen</translation>
    </message>
    <message>
        <source>Events whose name holds this text; in quotation marks: whose name it is. Enter: next match, Shift+Enter: previous, Esc: back to the timeline</source>
        <translation>Ereignisse, deren Name diesen Text enthält; in Anführungszeichen: deren Name er ist. Eingabe: nächster Treffer, Umschalt+Eingabe: voriger, Esc: zurück zur Zeitleiste</translation>
    </message>
    <message>
        <source>What the colour of a bar means</source>
        <translation>Was die Farbe eines Balkens bedeutet</translation>
    </message>
    <message>
        <source>Next event</source>
        <translation>Nächstes Ereignis</translation>
    </message>
    <message>
        <source>Previous event</source>
        <translation>Voriges Ereignis</translation>
    </message>
    <message>
        <source>Event above</source>
        <translation>Ereignis darüber</translation>
    </message>
    <message>
        <source>Event below</source>
        <translation>Ereignis darunter</translation>
    </message>
    <message>
        <source>Next row</source>
        <translation>Nächste Zeile</translation>
    </message>
    <message>
        <source>Previous row</source>
        <translation>Vorige Zeile</translation>
    </message>
    <message>
        <source>Range to the next event</source>
        <translation>Bereich bis zum nächsten Ereignis</translation>
    </message>
    <message>
        <source>Range to the previous event</source>
        <translation>Bereich bis zum vorigen Ereignis</translation>
    </message>
    <message>
        <source>Find in the timeline</source>
        <translation>In der Zeitleiste suchen</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Busy and idle time, durations of one name and the flame graph of the selected range, or of everything (I)</source>
        <translation>Beschäftigte und leere Zeit, Dauern eines Namens und das Flammenbild des gewählten Bereichs, oder von allem (I)</translation>
    </message>
    <message>
        <source>Lists the events of the selected range, or all of them; while you search, only matches (E)</source>
        <translation>Nennt die Ereignisse des gewählten Bereichs, oder alle; beim Suchen nur Treffer (E)</translation>
    </message>
    <message>
        <source>Pin or unpin the row</source>
        <translation>Die Zeile anheften oder lösen</translation>
    </message>
    <message>
        <source>Fold or unfold the group</source>
        <translation>Die Gruppe falten oder entfalten</translation>
    </message>
    <message>
        <source>Show all rows</source>
        <translation>Alle Zeilen zeigen</translation>
    </message>
    <message>
        <source>Fit the width of the row names</source>
        <translation>Breite der Zeilennamen anpassen</translation>
    </message>
    <message>
        <source>Mark with a note</source>
        <translation>Mit einer Notiz markieren</translation>
    </message>
    <message>
        <source>Next mark</source>
        <translation>Nächste Marke</translation>
    </message>
    <message>
        <source>Previous mark</source>
        <translation>Vorige Marke</translation>
    </message>
    <message>
        <source>Show saved view %1</source>
        <translation>Gespeicherte Ansicht %1 zeigen</translation>
    </message>
    <message>
        <source>Save view %1</source>
        <translation>Ansicht %1 speichern</translation>
    </message>
    <message>
        <source>Menu of the event</source>
        <translation>Menü des Ereignisses</translation>
    </message>
    <message>
        <source>Show frame times</source>
        <translation>Zeiten der Bilder zeigen</translation>
    </message>
    <message>
        <source>Keys and mouse…</source>
        <translation>Tasten und Maus…</translation>
    </message>
    <message>
        <source>frame %1 · %L2 bars, %L3 columns</source>
        <translation>Bild %1 · %L2 Balken, %L3 Spalten</translation>
    </message>
    <message>
        <source>take over marks</source>
        <translation>Marken übernehmen</translation>
    </message>
    <message>
        <source>Mark</source>
        <translation>Marke</translation>
    </message>
    <message>
        <source>Note on these %1:</source>
        <translation>Notiz zu diesen %1:</translation>
    </message>
    <message>
        <source>Note on this moment:</source>
        <translation>Notiz zu diesem Augenblick:</translation>
    </message>
    <message>
        <source>Not saved, and lost when this window closes: %1</source>
        <translation>Nicht gespeichert, und verloren, wenn dieses Fenster schließt: %1</translation>
    </message>
    <message>
        <source>%1. They are in this user&apos;s settings instead: %2</source>
        <translation>%1. Sie stehen stattdessen in den Einstellungen dieses Benutzers: %2</translation>
    </message>
    <message>
        <source>Laying out %L1 events…</source>
        <translation>%L1 Ereignisse werden angeordnet…</translation>
    </message>
    <message>
        <source>Open a capture or run a workload to see its timeline.</source>
        <translation>Öffne eine Aufzeichnung oder starte einen Workload, um seine Zeitleiste zu sehen.</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>wird gesucht…</translation>
    </message>
    <message>
        <source>, %L1 in hidden rows</source>
        <translation>, %L1 in verborgenen Zeilen</translation>
    </message>
    <message>
        <source>Rows of the answer</source>
        <translation>Zeilen der Antwort</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Traffic</source>
        <translation>Verkehr</translation>
    </message>
    <message>
        <source>Traffic: bytes between memory levels</source>
        <translation>Verkehr: Bytes zwischen Ebenen des Speichers</translation>
    </message>
    <message>
        <source>Memory traffic picture</source>
        <translation>Bild des Speicherverkehrs</translation>
    </message>
    <message>
        <source>Tensors of the chosen ribbon, largest first</source>
        <translation>Tensoren des gewählten Bands, der größte zuerst</translation>
    </message>
    <message>
        <source>Nothing crosses this link in this direction.</source>
        <translation>Nichts quert diese Verbindung in dieser Richtung.</translation>
    </message>
    <message>
        <source>Bytes of the whole step</source>
        <translation>Bytes des ganzen Schritts</translation>
    </message>
    <message>
        <source>Bytes of the selected layer and what is inside it. Select a layer or an op first.</source>
        <translation>Bytes der gewählten Schicht und dessen, was in ihr liegt. Wähle zuerst eine Schicht oder eine Op.</translation>
    </message>
    <message>
        <source>Bytes of the selected op. Select one: in the strip below, or in any other view.</source>
        <translation>Bytes der gewählten Op. Wähle eine: im Streifen unten oder in jeder anderen Ansicht.</translation>
    </message>
    <message>
        <source>Ribbon width</source>
        <translation>Breite der Bänder</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Log</translation>
    </message>
    <message>
        <source>Width grows with the logarithm of the bytes, over four decades below the step&apos;s largest flow: small flows stay visible</source>
        <translation>Die Breite wächst mit dem Logarithmus der Bytes, über vier Dekaden unter dem größten Fluss des Schritts: kleine Flüsse bleiben sichtbar</translation>
    </message>
    <message>
        <source>Width is proportional to the bytes; the largest flow of the scope is the widest</source>
        <translation>Die Breite ist proportional zu den Bytes; der größte Fluss des Umfangs ist am breitesten</translation>
    </message>
    <message>
        <source>Play step</source>
        <translation>Schritt abspielen</translation>
    </message>
    <message>
        <source>Play the step op by op</source>
        <translation>Den Schritt Op für Op abspielen</translation>
    </message>
    <message>
        <source>Goes through the step op by op; the ribbons follow (Space)</source>
        <translation>Geht Op für Op durch den Schritt; die Bänder folgen (Leertaste)</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Puts the bytes of a second capture below these, in the same scale, with the difference per link</source>
        <translation>Zeigt die Bytes einer zweiten Aufzeichnung unter diesen, im selben Maßstab, mit dem Unterschied je Verbindung</translation>
    </message>
    <message>
        <source>: fills the row “simulated”</source>
        <translation>: füllt die Zeile „simuliert“</translation>
    </message>
    <message>
        <source>: fills the row “measured”</source>
        <translation>: füllt die Zeile „gemessen“</translation>
    </message>
    <message>
        <source>Runs this workload again as it was recorded, and fills this row. The new run is shown; this one stays in the list.</source>
        <translation>Führt diesen Workload noch einmal aus, wie er aufgezeichnet wurde, und füllt diese Zeile. Der neue Lauf wird gezeigt; dieser bleibt in der Liste.</translation>
    </message>
    <message>
        <source>End comparison</source>
        <translation>Vergleich beenden</translation>
    </message>
    <message>
        <source>%1 to %2: %3 read, %4 written</source>
        <translation>%1 nach %2: %3 gelesen, %4 geschrieben</translation>
    </message>
    <message>
        <source>%1 → %2, written</source>
        <translation>%1 → %2, geschrieben</translation>
    </message>
    <message>
        <source>: 1 tensor</source>
        <translation>: 1 Tensor</translation>
    </message>
    <message>
        <source>: %1 tensors</source>
        <translation>: %1 Tensoren</translation>
    </message>
    <message>
        <source>copied</source>
        <translation>kopiert</translation>
    </message>
    <message>
        <source>The tensors of these bytes are not recorded.</source>
        <translation>Die Tensoren dieser Bytes sind nicht aufgezeichnet.</translation>
    </message>
    <message>
        <source>%1  (%2 of %3)</source>
        <translation>%1  (%2 von %3)</translation>
    </message>
    <message>
        <source>Run a workload or open a .tide file to see how many bytes cross each link of the memory hierarchy, by tensor.</source>
        <translation>Starte einen Workload oder öffne eine .tide-Datei, um zu sehen, wie viele Bytes jede Verbindung der Speicherhierarchie queren, nach Tensor.</translation>
    </message>
    <message>
        <source>The run ended before its plan was recorded, so its bytes are unknown.</source>
        <translation>Der Lauf endete, bevor sein Plan aufgezeichnet war, also sind seine Bytes unbekannt.</translation>
    </message>
    <message>
        <source>The trace names no ops, so their bytes are unknown. The Timeline shows what it recorded.</source>
        <translation>Die Spur nennt keine Ops, also sind ihre Bytes unbekannt. Die Zeitleiste zeigt, was sie aufgezeichnet hat.</translation>
    </message>
    <message>
        <source>No bytes in this trace</source>
        <translation>Keine Bytes in dieser Spur</translation>
    </message>
    <message>
        <source>Memory levels unknown</source>
        <translation>Ebenen des Speichers unbekannt</translation>
    </message>
    <message>
        <source>This capture does not hold the memory levels of its machine. Choose “Tools &gt; Measure the roofs”, then record the run again.</source>
        <translation>Diese Aufzeichnung enthält die Ebenen des Speichers ihrer Maschine nicht. Wähle „Werkzeuge &gt; Die Dächer messen“, dann zeichne den Lauf neu auf.</translation>
    </message>
    <message>
        <source>The bytes that it moved are unknown: there are no ops.</source>
        <translation>Die bewegten Bytes sind unbekannt: es gibt keine Ops.</translation>
    </message>
    <message>
        <source>The trace does not hold the bytes of its ops.</source>
        <translation>Die Spur enthält die Bytes ihrer Ops nicht.</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Keep values</source>
        <translation>Werte behalten</translation>
    </message>
    <message>
        <source>Values: what was in each tensor of a step</source>
        <translation>Werte: was in jedem Tensor eines Schritts war</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>Channel of the picture; also Left and Right</source>
        <translation>Kanal des Bilds; auch Links und Rechts</translation>
    </message>
    <message>
        <source>Three channels as red, green and blue</source>
        <translation>Drei Kanäle als Rot, Grün und Blau</translation>
    </message>
    <message>
        <source>Runs it again, and reads every tensor in one further step</source>
        <translation>Führt es noch einmal aus und liest jeden Tensor in einem weiteren Schritt</translation>
    </message>
    <message>
        <source>Histogram and picture</source>
        <translation>Histogramm und Bild</translation>
    </message>
    <message>
        <source>Tensors in the order in which they were made</source>
        <translation>Tensoren in der Reihenfolge, in der sie entstanden</translation>
    </message>
    <message>
        <source>No values were kept.</source>
        <translation>Es wurden keine Werte behalten.</translation>
    </message>
    <message>
        <source>Results of the step: %1</source>
        <translation>Ergebnisse des Schritts: %1</translation>
    </message>
    <message>
        <source>Tensors of a step: %1</source>
        <translation>Tensoren eines Schritts: %1</translation>
    </message>
    <message>
        <source>%L1 not finite</source>
        <translation>%L1 nicht endlich</translation>
    </message>
    <message>
        <source>in colours</source>
        <translation>in Farben</translation>
    </message>
    <message>
        <source>%1, %2, %3, %4</source>
        <translation>%1, %2, %3, %4</translation>
    </message>
    <message>
        <source>given from outside the step</source>
        <translation>von außerhalb des Schritts gegeben</translation>
    </message>
    <message>
        <source>made by %1</source>
        <translation>gemacht von %1</translation>
    </message>
    <message>
        <source>Least %1, largest %2, mean %3</source>
        <translation>Kleinster %1, größter %2, Mittel %3</translation>
    </message>
    <message>
        <source>NaN: %L1 of %L2, infinite: %L3</source>
        <translation>NaN: %L1 von %L2, unendlich: %L3</translation>
    </message>
    <message>
        <source>Not finite: %L1 of %L2, NaN and infinities together</source>
        <translation>Nicht endlich: %L1 von %L2, NaN und Unendlich zusammen</translation>
    </message>
    <message>
        <source>%L1 evenly spread values are kept: too few for a picture</source>
        <translation>%L1 gleichmäßig verteilte Werte sind behalten: zu wenige für ein Bild</translation>
    </message>
    <message>
        <source>NaN or infinity first appears here: the operands were finite</source>
        <translation>NaN oder Unendlich tritt hier zum ersten Mal auf: die Operanden waren endlich</translation>
    </message>
    <message>
        <source>Run a workload with its values kept: then this shows what was in each tensor.</source>
        <translation>Führe einen Workload aus und behalte seine Werte: dann zeigt dies, was in jedem Tensor war.</translation>
    </message>
    <message>
        <source>No values in this capture</source>
        <translation>Keine Werte in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>No values of %1</source>
        <translation>Keine Werte von %1</translation>
    </message>
    <message>
        <source>%L1 values</source>
        <translation>%L1 Werte</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>One axis, in rows of %1</source>
        <translation>Eine Achse, in Zeilen zu %1</translation>
    </message>
    <message>
        <source>. Red: NaN</source>
        <translation>. Rot: NaN</translation>
    </message>
    <message>
        <source>%L1 values from %2 to %3</source>
        <translation>%L1 Werte von %2 bis %3</translation>
    </message>
    <message>
        <source>Row %1, column %2: %3</source>
        <translation>Zeile %1, Spalte %2: %3</translation>
    </message>
    <message>
        <source>1 view without data</source>
        <translation>1 Ansicht ohne Daten</translation>
    </message>
    <message>
        <source>%1 views without data</source>
        <translation>%1 Ansichten ohne Daten</translation>
    </message>
    <message>
        <source>Views that have nothing of this capture, and why</source>
        <translation>Ansichten, die nichts aus dieser Aufzeichnung haben, und warum</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>%1 starten</translation>
    </message>
    <message>
        <source>Runs %1 with its usual values now</source>
        <translation>Startet %1 jetzt mit den üblichen Werten</translation>
    </message>
    <message>
        <source>Another run is in progress. Cancel it or wait for its end.</source>
        <translation>Ein anderer Lauf ist im Gang. Brich ihn ab oder warte auf sein Ende.</translation>
    </message>
    <message>
        <source>A published table: its data</source>
        <translation>Eine veröffentlichte Tabelle: ihre Daten</translation>
    </message>
    <message>
        <source>Device playground</source>
        <translation>Spielwiese für Geräte</translation>
    </message>
    <message>
        <source>A systolic array</source>
        <translation>Ein systolisches Array</translation>
    </message>
    <message>
        <source>Devices side by side</source>
        <translation>Geräte nebeneinander</translation>
    </message>
    <message>
        <source>Tensor storage</source>
        <translation>Speicher eines Tensors</translation>
    </message>
    <message>
        <source>Open a capture or a sweep first.</source>
        <translation>Öffne zuerst eine Aufzeichnung oder eine Messreihe.</translation>
    </message>
    <message>
        <source>Open a capture first.</source>
        <translation>Öffne zuerst eine Aufzeichnung.</translation>
    </message>
    <message>
        <source>An imported trace cannot be run again. Record a run of its own.</source>
        <translation>Eine importierte Spur lässt sich nicht wiederholen. Zeichne einen eigenen Lauf auf.</translation>
    </message>
    <message>
        <source>The form needs a correction: see what it says.</source>
        <translation>Das Formular braucht eine Berichtigung: sieh, was dort steht.</translation>
    </message>
    <message>
        <source>An imported trace lacks the sizes of its ops&apos; work. Set up a run instead.</source>
        <translation>Einer importierten Spur fehlen die Größen der Arbeit ihrer Ops. Richte stattdessen einen Lauf ein.</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>The analyses of what is shown</source>
        <translation>Die Auswertungen dessen, was gezeigt wird</translation>
    </message>
    <message>
        <source>A size such as 16GB or 80GiB. Empty: what the device has free now.</source>
        <translation>Eine Größe wie 16GB oder 80GiB. Leer: was das Gerät jetzt frei hat.</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>All, or one GPU with its ops</source>
        <translation>Alle, oder eine GPU mit ihren Ops</translation>
    </message>
    <message>
        <source>All modelled GPUs</source>
        <translation>Alle modellierten GPUs</translation>
    </message>
    <message>
        <source>All data sheets: least time, and what fits</source>
        <translation>Alle Datenblätter: kürzeste Zeit, und was passt</translation>
    </message>
    <message>
        <source>Of one GPU</source>
        <translation>Einer GPU</translation>
    </message>
    <message>
        <source>Types of ops</source>
        <translation>Typen von Ops</translation>
    </message>
    <message>
        <source>Process %1 of at most %2 has ended</source>
        <translation>Prozess %1 von höchstens %2 hat geendet</translation>
    </message>
    <message>
        <source>The first process runs</source>
        <translation>Der erste Prozess läuft</translation>
    </message>
    <message>
        <source>Choose a capture to compare with first.</source>
        <translation>Wähle zuerst eine Aufzeichnung zum Vergleichen.</translation>
    </message>
    <message>
        <source>The other capture is an imported trace, which cannot be run again.</source>
        <translation>Die andere Aufzeichnung ist eine importierte Spur, die sich nicht wiederholen lässt.</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>Processes of each of both runs, in turn: 2 to 100</source>
        <translation>Prozesse von jedem der beiden Läufe, abwechselnd: 2 bis 100</translation>
    </message>
    <message>
        <source>Round %1 of %2</source>
        <translation>Runde %1 von %2</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>A decimal number such as 1.4, 6e-8, inf or nan</source>
        <translation>Eine Dezimalzahl wie 1.4, 6e-8, inf oder nan</translation>
    </message>
    <message>
        <source>Data types</source>
        <translation>Datentypen</translation>
    </message>
    <message>
        <source>Integers stand for (integer - zero point) x scale</source>
        <translation>Ganze Zahlen stehen für (ganze Zahl - Nullpunkt) x Faktor</translation>
    </message>
    <message>
        <source>f64, f32, bf16, f16</source>
        <translation>f64, f32, bf16, f16</translation>
    </message>
    <message>
        <source>i8, u8 (quantized)</source>
        <translation>i8, u8 (quantisiert)</translation>
    </message>
    <message>
        <source>Of integers</source>
        <translation>Von ganzen Zahlen</translation>
    </message>
    <message>
        <source>Zero point</source>
        <translation>Nullpunkt</translation>
    </message>
    <message>
        <source>Of integers: the one that means zero</source>
        <translation>Von ganzen Zahlen: die, die null bedeutet</translation>
    </message>
    <message>
        <source>Drivers and counters are asked</source>
        <translation>Treiber und Zähler werden gefragt</translation>
    </message>
    <message>
        <source>This one by its probe, or one by its data sheets</source>
        <translation>Diese nach ihrer Messung, oder eine nach ihren Datenblättern</translation>
    </message>
    <message>
        <source>Folder on a disk</source>
        <translation>Ordner auf einem Datenträger</translation>
    </message>
    <message>
        <source>Of this machine: a file of 256 MiB is written there, read past the page cache, and removed. Empty: the disk is not measured.</source>
        <translation>Dieser Maschine: eine Datei von 256 MiB wird dort geschrieben, am Seitencache vorbei gelesen und entfernt. Leer: der Datenträger wird nicht gemessen.</translation>
    </message>
    <message>
        <source>The disk is read</source>
        <translation>Der Datenträger wird gelesen</translation>
    </message>
    <message>
        <source>&amp;Tables of what is shown…</source>
        <translation>&amp;Tabellen dessen, was gezeigt wird…</translation>
    </message>
    <message>
        <source>Which figures does each analysis have, row by row?</source>
        <translation>Welche Zahlen hat jede Auswertung, Zeile für Zeile?</translation>
    </message>
    <message>
        <source>&amp;Copies between devices…</source>
        <translation>&amp;Kopien zwischen Geräten…</translation>
    </message>
    <message>
        <source>Which bytes were copied from where to where, why, and how fast?</source>
        <translation>Welche Bytes wurden woher wohin kopiert, warum, und wie schnell?</translation>
    </message>
    <message>
        <source>Speed of &amp;links…</source>
        <translation>Tempo der &amp;Verbindungen…</translation>
    </message>
    <message>
        <source>How long does a copy take: a fixed time, and a time per byte?</source>
        <translation>Wie lange dauert eine Kopie: eine feste Zeit, und eine Zeit je Byte?</translation>
    </message>
    <message>
        <source>Pipeline of &amp;data loading…</source>
        <translation>Kette des &amp;Datenladens…</translation>
    </message>
    <message>
        <source>Which stage of data loading sets the pace?</source>
        <translation>Welche Stufe des Datenladens gibt das Tempo vor?</translation>
    </message>
    <message>
        <source>Largest &amp;batch that fits…</source>
        <translation>Größter &amp;Batch, der passt…</translation>
    </message>
    <message>
        <source>How large may the batch be before memory runs out? Nothing is run.</source>
        <translation>Wie groß darf der Batch sein, bevor der Speicher ausgeht? Nichts wird ausgeführt.</translation>
    </message>
    <message>
        <source>Time on other &amp;GPUs…</source>
        <translation>Zeit auf anderen &amp;GPUs…</translation>
    </message>
    <message>
        <source>How long would a step take on a GPU that is not here? Does it fit? All times are modelled.</source>
        <translation>Wie lange dauerte ein Schritt auf einer GPU, die nicht hier ist? Passt er hinein? Alle Zeiten sind modelliert.</translation>
    </message>
    <message>
        <source>Is it &amp;slower now…</source>
        <translation>Ist es jetzt &amp;langsamer…</translation>
    </message>
    <message>
        <source>Does this run take longer now than when it was recorded? Fresh processes repeat it.</source>
        <translation>Dauert dieser Lauf jetzt länger als bei der Aufzeichnung? Neue Prozesse wiederholen ihn.</translation>
    </message>
    <message>
        <source>Run it again</source>
        <translation>Noch einmal ausführen</translation>
    </message>
    <message>
        <source>Compare with &amp;repeats…</source>
        <translation>Mit &amp;Wiederholungen vergleichen…</translation>
    </message>
    <message>
        <source>Is the difference of both captures real? Both run again, in turn.</source>
        <translation>Ist der Unterschied beider Aufzeichnungen echt? Beide laufen noch einmal, abwechselnd.</translation>
    </message>
    <message>
        <source>Run both again</source>
        <translation>Beide noch einmal ausführen</translation>
    </message>
    <message>
        <source>A &amp;number in each data type…</source>
        <translation>Eine &amp;Zahl in jedem Datentyp…</translation>
    </message>
    <message>
        <source>What does a data type make of a number, and how large is the error?</source>
        <translation>Was macht ein Datentyp aus einer Zahl, und wie groß ist der Fehler?</translation>
    </message>
    <message>
        <source>What &amp;works on this machine…</source>
        <translation>Was auf dieser Maschine &amp;geht…</translation>
    </message>
    <message>
        <source>Which libraries, GPUs and sources of figures work here, and what helps where they do not?</source>
        <translation>Welche Bibliotheken, GPUs und Quellen von Zahlen gehen hier, und was hilft, wo sie es nicht tun?</translation>
    </message>
    <message>
        <source>&amp;Machine balance…</source>
        <translation>&amp;Maschinenbalance…</translation>
    </message>
    <message>
        <source>How many FLOPs does arithmetic do while a byte comes from disk, memory or a link?</source>
        <translation>Wie viele FLOPs schafft die Arithmetik, während ein Byte von Datenträger, Speicher oder Verbindung kommt?</translation>
    </message>
    <message>
        <source>No recent captures</source>
        <translation>Keine letzten Aufzeichnungen</translation>
    </message>
    <message>
        <source>Save &amp;report…</source>
        <translation>&amp;Bericht speichern…</translation>
    </message>
    <message>
        <source>Writes the sections that you choose as one HTML or PDF file</source>
        <translation>Schreibt die gewählten Abschnitte als eine HTML- oder PDF-Datei</translation>
    </message>
    <message>
        <source>Export &amp;picture…</source>
        <translation>B&amp;ild exportieren…</translation>
    </message>
    <message>
        <source>Saves the current view as PNG, SVG or PDF</source>
        <translation>Speichert die jetzige Ansicht als PNG, SVG oder PDF</translation>
    </message>
    <message>
        <source>Export &amp;data…</source>
        <translation>&amp;Daten exportieren…</translation>
    </message>
    <message>
        <source>Saves the numbers of the current view as CSV</source>
        <translation>Speichert die Zahlen der jetzigen Ansicht als CSV</translation>
    </message>
    <message>
        <source>Export as a &amp;trace…</source>
        <translation>Als &amp;Spur exportieren…</translation>
    </message>
    <message>
        <source>Writes the capture for other tools: Perfetto, Chrome and PyTorch&apos;s readers, speedscope, pprof, CSV</source>
        <translation>Schreibt die Aufzeichnung für andere Programme: Perfetto, Chrome und die Leser von PyTorch, speedscope, pprof, CSV</translation>
    </message>
    <message>
        <source>Export the selected &amp;range as a trace…</source>
        <translation>Den gewählten Be&amp;reich als Spur exportieren…</translation>
    </message>
    <message>
        <source>The same for the selected range of time alone</source>
        <translation>Dasselbe nur für den gewählten Zeitbereich</translation>
    </message>
    <message>
        <source>&amp;Show data</source>
        <translation>Daten &amp;zeigen</translation>
    </message>
    <message>
        <source>The table behind the picture</source>
        <translation>Die Tabelle hinter dem Bild</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Open a capture…</source>
        <translation>Eine Aufzeichnung &amp;öffnen…</translation>
    </message>
    <message>
        <source>Opens a .tide file or a trace of another tool; several: ranks of one run, or runs to compare</source>
        <translation>Öffnet eine .tide-Datei oder eine Spur eines anderen Programms; mehrere: Ränge eines Laufs, oder Läufe zum Vergleichen</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Show the folder of &amp;captures</source>
        <translation>Den Ordner der &amp;Aufzeichnungen zeigen</translation>
    </message>
    <message>
        <source>Opens the folder where runs are kept</source>
        <translation>Öffnet den Ordner, in dem Läufe liegen</translation>
    </message>
    <message>
        <source>Choose the &amp;folder of captures…</source>
        <translation>Den &amp;Ordner der Aufzeichnungen wählen…</translation>
    </message>
    <message>
        <source>Where runs of this window are written</source>
        <translation>Wohin Läufe dieses Fensters geschrieben werden</translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation>&amp;Einstellungen…</translation>
    </message>
    <message>
        <source>Theme, scale, session, folders, and the keys of all commands</source>
        <translation>Farben, Größe, Sitzung, Ordner und die Tasten aller Befehle</translation>
    </message>
    <message>
        <source>&amp;Close the capture</source>
        <translation>Die Aufzeichnung s&amp;chließen</translation>
    </message>
    <message>
        <source>Back to the start page</source>
        <translation>Zurück zur Startseite</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Closes the window</source>
        <translation>Schließt das Fenster</translation>
    </message>
    <message>
        <source>&amp;Run the workload</source>
        <translation>Den Workload &amp;starten</translation>
    </message>
    <message>
        <source>Runs the workload of the form, or repeats the capture that is shown</source>
        <translation>Startet den Workload des Formulars, oder wiederholt die gezeigte Aufzeichnung</translation>
    </message>
    <message>
        <source>Show the &amp;network</source>
        <translation>Das &amp;Netz zeigen</translation>
    </message>
    <message>
        <source>Shows layers, shapes, FLOPs, bytes and memory of what the form says, without running it</source>
        <translation>Zeigt Schichten, Formen, FLOPs, Bytes und Speicher dessen, was im Formular steht, ohne es auszuführen</translation>
    </message>
    <message>
        <source>Run &amp;again</source>
        <translation>&amp;Noch einmal starten</translation>
    </message>
    <message>
        <source>Runs the capture that is shown again with its own settings</source>
        <translation>Wiederholt die gezeigte Aufzeichnung mit ihren eigenen Einstellungen</translation>
    </message>
    <message>
        <source>Change &amp;settings and run…</source>
        <translation>Einstellungen ä&amp;ndern und starten…</translation>
    </message>
    <message>
        <source>Shows the form with the settings of the capture that is shown</source>
        <translation>Zeigt das Formular mit den Einstellungen der gezeigten Aufzeichnung</translation>
    </message>
    <message>
        <source>S&amp;weep…</source>
        <translation>&amp;Messreihe…</translation>
    </message>
    <message>
        <source>Runs what the form says over batch sizes, data types, threads and more</source>
        <translation>Führt das Formular über Batchgrößen, Datentypen, Threads und mehr aus</translation>
    </message>
    <message>
        <source>Copy as c&amp;ommand</source>
        <translation>Als &amp;Befehl kopieren</translation>
    </message>
    <message>
        <source>Copies the line that does this run in a terminal</source>
        <translation>Kopiert die Zeile, die diesen Lauf im Terminal ausführt</translation>
    </message>
    <message>
        <source>&amp;Cancel the run</source>
        <translation>Den Lauf &amp;abbrechen</translation>
    </message>
    <message>
        <source>Ends the run after its current step; what was recorded is kept</source>
        <translation>Beendet den Lauf nach seinem jetzigen Schritt; was aufgezeichnet ist, bleibt</translation>
    </message>
    <message>
        <source>Open a &amp;model…</source>
        <translation>Ein &amp;Modell öffnen…</translation>
    </message>
    <message>
        <source>Shows an ONNX model, or a network described in JSON, in the form</source>
        <translation>Zeigt ein ONNX-Modell oder ein Netz in JSON im Formular</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>Takes back the last change of rows, marks or filters in the view in front</source>
        <translation>Nimmt die letzte Änderung von Zeilen, Marken oder Filtern der vorderen Ansicht zurück</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Makes the change again that was taken back last</source>
        <translation>Macht die zuletzt zurückgenommene Änderung noch einmal</translation>
    </message>
    <message>
        <source>&amp;Record</source>
        <translation>&amp;Aufzeichnen</translation>
    </message>
    <message>
        <source>Sets up a run: the form, workloads to choose and files to open</source>
        <translation>Richtet einen Lauf ein: das Formular, Workloads zur Wahl und Dateien zum Öffnen</translation>
    </message>
    <message>
        <source>&amp;Analyse</source>
        <translation>A&amp;uswerten</translation>
    </message>
    <message>
        <source>Shows the capture or sweep that is open</source>
        <translation>Zeigt die geöffnete Aufzeichnung oder Messreihe</translation>
    </message>
    <message>
        <source>&amp;Clear the selection</source>
        <translation>Auswahl &amp;aufheben</translation>
    </message>
    <message>
        <source>Nothing selected: every view shows the whole step</source>
        <translation>Nichts gewählt: jede Ansicht zeigt den ganzen Schritt</translation>
    </message>
    <message>
        <source>Selection &amp;back</source>
        <translation>Auswahl &amp;zurück</translation>
    </message>
    <message>
        <source>The selection before</source>
        <translation>Die Auswahl davor</translation>
    </message>
    <message>
        <source>Selection &amp;forward</source>
        <translation>Auswahl &amp;vor</translation>
    </message>
    <message>
        <source>The selection after</source>
        <translation>Die Auswahl danach</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Farben</translation>
    </message>
    <message>
        <source>Theme: as the &amp;system</source>
        <translation>Farben: wie das &amp;System</translation>
    </message>
    <message>
        <source>Theme: &amp;light</source>
        <translation>Farben: &amp;hell</translation>
    </message>
    <message>
        <source>Theme: &amp;dark</source>
        <translation>Farben: &amp;dunkel</translation>
    </message>
    <message>
        <source>&amp;Scale</source>
        <translation>&amp;Größe</translation>
    </message>
    <message>
        <source>Scale: %1 %</source>
        <translation>Größe: %1 %</translation>
    </message>
    <message>
        <source>Size of texts and controls</source>
        <translation>Größe von Texten und Bedienung</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>&amp;Vollbild</translation>
    </message>
    <message>
        <source>The window on the whole screen, and back</source>
        <translation>Das Fenster auf dem ganzen Bildschirm, und zurück</translation>
    </message>
    <message>
        <source>&amp;Reset the layout</source>
        <translation>&amp;Anordnung zurücksetzen</translation>
    </message>
    <message>
        <source>Panels where they were at the first start</source>
        <translation>Felder dort, wo sie beim ersten Start waren</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleichen</translation>
    </message>
    <message>
        <source>&amp;With a capture…</source>
        <translation>&amp;Mit einer Aufzeichnung…</translation>
    </message>
    <message>
        <source>Chooses the capture that the one shown is compared with</source>
        <translation>Wählt die Aufzeichnung, mit der die gezeigte verglichen wird</translation>
    </message>
    <message>
        <source>&amp;End the comparison</source>
        <translation>Den Vergleich &amp;beenden</translation>
    </message>
    <message>
        <source>Shows the capture on its own again</source>
        <translation>Zeigt die Aufzeichnung wieder für sich</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>&amp;Werkzeuge</translation>
    </message>
    <message>
        <source>&amp;Measure the roofs</source>
        <translation>&amp;Die Dächer messen</translation>
    </message>
    <message>
        <source>How fast can this machine compute and move bytes? Takes less than 20 s.</source>
        <translation>Wie schnell kann diese Maschine rechnen und Bytes bewegen? Dauert unter 20 s.</translation>
    </message>
    <message>
        <source>About Tensortide</source>
        <translation>Über Tensortide</translation>
    </message>
    <message>
        <source>&lt;b&gt;Tensortide %1&lt;/b&gt;&lt;p&gt;A profiler and memory-traffic visualizer for tensor workloads.&lt;/p&gt;&lt;p&gt;The window is free software under the GNU GPL, version 3 or later. Engine, profiler and command line are under the Apache licence 2.0. It uses Qt and QCustomPlot.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Tensortide %1&lt;/b&gt;&lt;p&gt;Profiler und Bild des Speicherverkehrs für Tensor-Workloads.&lt;/p&gt;&lt;p&gt;Das Fenster ist freie Software unter der GNU GPL, Version 3 oder später. Engine, Profiler und Befehlszeile stehen unter der Apache-Lizenz 2.0. Es verwendet Qt und QCustomPlot.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;Learn</source>
        <translation>&amp;Lernen</translation>
    </message>
    <message>
        <source>&amp;Lessons</source>
        <translation>&amp;Lektionen</translation>
    </message>
    <message>
        <source>Lessons that ask for a prediction, run it here and show the answer</source>
        <translation>Lektionen, die eine Vorhersage verlangen, sie hier ausführen und die Antwort zeigen</translation>
    </message>
    <message>
        <source>Tensor &amp;storage…</source>
        <translation>&amp;Speicher eines Tensors…</translation>
    </message>
    <message>
        <source>A tensor&apos;s buffer byte by byte: which ops are views, and which copy</source>
        <translation>Der Puffer eines Tensors, Byte für Byte: welche Ops Sichten sind, und welche kopieren</translation>
    </message>
    <message>
        <source>&amp;Device playground…</source>
        <translation>Spielwiese für &amp;Geräte…</translation>
    </message>
    <message>
        <source>Tensors on two simulated devices: what copies, what is the same tensor, what is refused</source>
        <translation>Tensoren auf zwei simulierten Geräten: was kopiert, was derselbe Tensor ist, was verweigert wird</translation>
    </message>
    <message>
        <source>A s&amp;ystolic array…</source>
        <translation>Ein s&amp;ystolisches Array…</translation>
    </message>
    <message>
        <source>A matrix multiplication cycle by cycle: every operand is read from memory once</source>
        <translation>Eine Matrixmultiplikation Takt für Takt: jeder Operand wird einmal aus dem Speicher gelesen</translation>
    </message>
    <message>
        <source>Devices side by &amp;side…</source>
        <translation>Geräte nebenein&amp;ander…</translation>
    </message>
    <message>
        <source>This processor beside a GPU: cores, lanes, clock, caches, memory, arithmetic</source>
        <translation>Dieser Prozessor neben einer GPU: Kerne, Lanes, Takt, Caches, Speicher, Arithmetik</translation>
    </message>
    <message>
        <source>A &amp;published table…</source>
        <translation>Eine veröffentlichte &amp;Tabelle…</translation>
    </message>
    <message>
        <source>Table 7 of Shi et al. 2016: its cells, gaps, thread curves and rankings, without a run</source>
        <translation>Tabelle 7 von Shi et al. 2016: ihre Zellen, Lücken, Threadkurven und Ranglisten, ohne einen Lauf</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Handbook</source>
        <translation>&amp;Handbuch</translation>
    </message>
    <message>
        <source>The documentation: all pages, searchable, offline</source>
        <translation>Die Dokumentation: alle Seiten, durchsuchbar, ohne Netz</translation>
    </message>
    <message>
        <source>Where the sources &amp;disagree</source>
        <translation>Wo die Quellen sich &amp;widersprechen</translation>
    </message>
    <message>
        <source>Figures of lecture slides that contradict each other, with the arithmetic</source>
        <translation>Zahlen aus Vorlesungsfolien, die einander widersprechen, mit der Rechnung</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>&amp;Suche</translation>
    </message>
    <message>
        <source>Finds any command, workload, capture or op by its name</source>
        <translation>Findet jeden Befehl, Workload, jede Aufzeichnung oder Op nach Namen</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Tasten</translation>
    </message>
    <message>
        <source>All commands and their keys</source>
        <translation>Alle Befehle und ihre Tasten</translation>
    </message>
    <message>
        <source>&amp;Where the numbers come from</source>
        <translation>&amp;Woher die Zahlen kommen</translation>
    </message>
    <message>
        <source>How this capture was measured and how far to trust it</source>
        <translation>Wie diese Aufzeichnung gemessen wurde und wie weit man ihr trauen kann</translation>
    </message>
    <message>
        <source>Start &amp;page</source>
        <translation>Start&amp;seite</translation>
    </message>
    <message>
        <source>Workloads to run and captures to open</source>
        <translation>Workloads zum Starten und Aufzeichnungen zum Öffnen</translation>
    </message>
    <message>
        <source>&amp;About Tensortide</source>
        <translation>Ü&amp;ber Tensortide</translation>
    </message>
    <message>
        <source>Version and licence</source>
        <translation>Version und Lizenz</translation>
    </message>
    <message>
        <source>⌕ Search   %1</source>
        <translation>⌕ Suche   %1</translation>
    </message>
    <message>
        <source>Learn</source>
        <translation>Lernen</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Relate</source>
        <translation>Beziehen</translation>
    </message>
    <message>
        <source>Record it with shapes (record_shapes=True in PyTorch), or run the network here.</source>
        <translation>Zeichne sie mit Formen auf (record_shapes=True in PyTorch), oder führe das Netz hier aus.</translation>
    </message>
    <message>
        <source>Record it again to its end, with its ops.</source>
        <translation>Zeichne neu auf bis zum Ende, mit den Ops.</translation>
    </message>
    <message>
        <source>Record it again to its end; in PyTorch with profile_memory=True.</source>
        <translation>Zeichne neu auf bis zum Ende; in PyTorch mit profile_memory=True.</translation>
    </message>
    <message>
        <source>Run the network here.</source>
        <translation>Führe das Netz hier aus.</translation>
    </message>
    <message>
        <source>What should be changed: evidence, the gain to expect, and a button that tries it.</source>
        <translation>Was zu ändern ist: Beleg, erwarteter Gewinn, und ein Knopf, der es versucht.</translation>
    </message>
    <message>
        <source>Where the bytes go: every link of the memory hierarchy, by role, for the step, a layer or an op.</source>
        <translation>Wohin die Bytes gehen: jede Verbindung der Speicher, nach Rolle, für den Schritt, eine Schicht oder eine Op.</translation>
    </message>
    <message>
        <source>Which tensors fill the memory over the step, what is there at the peak, and how the arena is shared.</source>
        <translation>Welche Tensoren den Speicher über den Schritt füllen, was an der Spitze da ist, und wie die Arena geteilt wird.</translation>
    </message>
    <message>
        <source>When each op ran: steps, phases, layers and ops over time, with the bytes they moved.</source>
        <translation>Wann jede Op lief: Schritte, Phasen, Schichten und Ops über der Zeit, mit den Bytes, die sie bewegten.</translation>
    </message>
    <message>
        <source>Layers as boxes that open, and the tensors between them: where time, bytes and limits lie.</source>
        <translation>Schichten als Kästen, die sich öffnen, und die Tensoren dazwischen: wo Zeit, Bytes und Grenzen liegen.</translation>
    </message>
    <message>
        <source>One row per op, layer, type, kernel or phase: time, work, bytes, verdict.</source>
        <translation>Eine Zeile je Op, Schicht, Typ, Kernel oder Phase: Zeit, Arbeit, Bytes, Urteil.</translation>
    </message>
    <message>
        <source>How close each op is to the roofs of this machine, and its potential savings.</source>
        <translation>Wie nah jede Op an den Dächern dieser Maschine ist, und was zu gewinnen wäre.</translation>
    </message>
    <message>
        <source>Simulated caches of any size, ways and policy for the accesses of an op, a layer or the step.</source>
        <translation>Simulierte Caches jeder Größe, Wege und Regel für die Zugriffe einer Op, einer Schicht oder des Schritts.</translation>
    </message>
    <message>
        <source>What was in each tensor of a step: range, NaN, histogram, and its channels as pictures.</source>
        <translation>Was in jedem Tensor eines Schritts war: Bereich, NaN, Histogramm, und seine Kanäle als Bilder.</translation>
    </message>
    <message>
        <source>Run it here with the collector Values.</source>
        <translation>Führe ihn hier mit dem Sammler Werte aus.</translation>
    </message>
    <message>
        <source>One workload over batch sizes, dtypes, threads: curves, knees, and what binds on each side.</source>
        <translation>Ein Workload über Batchgrößen, Datentypen, Threads: Kurven, Knie, und was auf jeder Seite begrenzt.</translation>
    </message>
    <message>
        <source>Two runs op by op: what got slower or faster, how sure that is, and which bytes explain it.</source>
        <translation>Zwei Läufe, Op für Op: was langsamer oder schneller wurde, wie sicher das ist, und welche Bytes es erklären.</translation>
    </message>
    <message>
        <source>SLOWER</source>
        <translation>LANGSAMER</translation>
    </message>
    <message>
        <source>FASTER</source>
        <translation>SCHNELLER</translation>
    </message>
    <message>
        <source>SAME</source>
        <translation>GLEICH</translation>
    </message>
    <message>
        <source>UNSURE, or different work</source>
        <translation>UNSICHER, oder andere Arbeit</translation>
    </message>
    <message>
        <source>only on this side</source>
        <translation>nur auf dieser Seite</translation>
    </message>
    <message>
        <source>per sample</source>
        <translation>je Beispiel</translation>
    </message>
    <message>
        <source>Time %1, op by op (measured, lower quartile of the steps): an op starts at the same place in both lanes</source>
        <translation>Zeit %1, Op für Op (gemessen, unteres Quartil der Schritte): eine Op beginnt in beiden Spuren an derselben Stelle</translation>
    </message>
    <message>
        <source>Time %1, op by op (measured, lower quartile)</source>
        <translation>Zeit %1, Op für Op (gemessen, unteres Quartil)</translation>
    </message>
    <message>
        <source>Lower quartiles %1 (measured)</source>
        <translation>Untere Quartile %1 (gemessen)</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vorher</translation>
    </message>
    <message>
        <source>after</source>
        <translation>nachher</translation>
    </message>
    <message>
        <source>Bytes %1, before and after: compulsory (exact), over each link (modelled)</source>
        <translation>Bytes %1, vorher und nachher: zwingend (exakt), über jede Verbindung (modelliert)</translation>
    </message>
    <message>
        <source>Bytes %1: compulsory (exact), links (modelled)</source>
        <translation>Bytes %1: zwingend (exakt), Verbindungen (modelliert)</translation>
    </message>
    <message>
        <source>Bytes %1 (links modelled)</source>
        <translation>Bytes %1 (Verbindungen modelliert)</translation>
    </message>
    <message>
        <source>does not fit into memory</source>
        <translation>passt nicht in den Speicher</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>gescheitert: %1</translation>
    </message>
    <message>
        <source>not run yet</source>
        <translation>noch nicht gelaufen</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>verloren</translation>
    </message>
    <message>
        <source>here</source>
        <translation>hier</translation>
    </message>
    <message>
        <source>hyper-threads</source>
        <translation>Hyperthreads</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>good</source>
        <translation>gut</translation>
    </message>
    <message>
        <source>× not like for like</source>
        <translation>× nicht vergleichbar</translation>
    </message>
    <message>
        <source>! above the peak</source>
        <translation>! über der Spitze</translation>
    </message>
    <message>
        <source>? uncertain digits</source>
        <translation>? unsichere Ziffern</translation>
    </message>
    <message>
        <source>– dash: no time</source>
        <translation>– Strich: keine Zeit</translation>
    </message>
    <message>
        <source>~ point or digit put back</source>
        <translation>~ Komma oder Ziffer ergänzt</translation>
    </message>
    <message>
        <source>%1 s, %2.</source>
        <translation>%1 s, %2.</translation>
    </message>
    <message>
        <source> Read as “%1”.</source>
        <translation> Gelesen als „%1“.</translation>
    </message>
    <message>
        <source> A point or a digit was put back.</source>
        <translation> Ein Komma oder eine Ziffer wurde ergänzt.</translation>
    </message>
    <message>
        <source> It implies %1, %2 of the peak of %3.</source>
        <translation> Daraus folgen %1, %2 der Spitze von %3.</translation>
    </message>
    <message>
        <source>knee at %1</source>
        <translation>Knie bei %1</translation>
    </message>
    <message>
        <source>roofline %1</source>
        <translation>Roofline %1</translation>
    </message>
    <message>
        <source>%1 overflows</source>
        <translation>%1 läuft über</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
    <message>
        <source>Median over fresh processes of each one&apos;s median step</source>
        <translation>Median über neue Prozesse, von jedem der Median des Schritts</translation>
    </message>
    <message>
        <source>Median step [ms]</source>
        <translation>Median des Schritts [ms]</translation>
    </message>
    <message>
        <source>Per sample</source>
        <translation>Je Beispiel</translation>
    </message>
    <message>
        <source>Time per step / batch</source>
        <translation>Zeit je Schritt / Batch</translation>
    </message>
    <message>
        <source>Time per sample [ms]</source>
        <translation>Zeit je Beispiel [ms]</translation>
    </message>
    <message>
        <source>Batch / time per step</source>
        <translation>Batch / Zeit je Schritt</translation>
    </message>
    <message>
        <source>Samples per second</source>
        <translation>Beispiele je Sekunde</translation>
    </message>
    <message>
        <source>FLOP/s</source>
        <translation>FLOP/s</translation>
    </message>
    <message>
        <source>FLOPs of a step (exact) / its time (measured)</source>
        <translation>FLOPs eines Schritts (exakt) / seine Zeit (gemessen)</translation>
    </message>
    <message>
        <source>Of peak</source>
        <translation>Von der Spitze</translation>
    </message>
    <message>
        <source>FLOP/s over this machine&apos;s measured arithmetic peak</source>
        <translation>FLOP/s durch die gemessene Rechenspitze dieser Maschine</translation>
    </message>
    <message>
        <source>Of arithmetic peak [%]</source>
        <translation>Teil der Rechenspitze [%]</translation>
    </message>
    <message>
        <source>Compulsory B/s</source>
        <translation>Zwingende B/s</translation>
    </message>
    <message>
        <source>Compulsory bytes of a step (exact: each operand once per op) / its time (measured)</source>
        <translation>Zwingende Bytes eines Schritts (exakt: jeder Operand einmal je Op) / seine Zeit (gemessen)</translation>
    </message>
    <message>
        <source>Compulsory [GB/s]</source>
        <translation>Zwingende Bytes je Zeit [GB/s]</translation>
    </message>
    <message>
        <source>Weight bytes</source>
        <translation>Bytes der Gewichte</translation>
    </message>
    <message>
        <source>Compulsory bytes of parameters per sample: one read serves the whole batch, so they fall as 1 / batch</source>
        <translation>Zwingende Bytes der Parameter je Beispiel: einmal Lesen dient dem ganzen Batch, also fallen sie wie 1 / Batch</translation>
    </message>
    <message>
        <source>Weight bytes per sample [MB]</source>
        <translation>Bytes der Gewichte je Beispiel [MB]</translation>
    </message>
    <message>
        <source>DRAM bytes/sample</source>
        <translation>DRAM-Bytes/Beispiel</translation>
    </message>
    <message>
        <source>Bytes from and to memory per sample, by the traffic model</source>
        <translation>Bytes vom und zum Speicher je Beispiel, nach dem Verkehrsmodell</translation>
    </message>
    <message>
        <source>DRAM bytes per sample [MB]</source>
        <translation>DRAM-Bytes je Beispiel [MB]</translation>
    </message>
    <message>
        <source>DRAM bytes</source>
        <translation>DRAM-Bytes</translation>
    </message>
    <message>
        <source>Bytes from and to memory per step, by the traffic model</source>
        <translation>Bytes vom und zum Speicher je Schritt, nach dem Verkehrsmodell</translation>
    </message>
    <message>
        <source>DRAM bytes per step [MB]</source>
        <translation>DRAM-Bytes je Schritt [MB]</translation>
    </message>
    <message>
        <source>DRAM bytes, simulated</source>
        <translation>DRAM-Bytes, simuliert</translation>
    </message>
    <message>
        <source>Bytes from and to memory per step, by the cache simulation</source>
        <translation>Bytes vom und zum Speicher je Schritt, nach der Simulation der Caches</translation>
    </message>
    <message>
        <source>Simulated DRAM bytes [MB]</source>
        <translation>Simulierte DRAM-Bytes je Schritt [MB]</translation>
    </message>
    <message>
        <source>DRAM bandwidth, simulated</source>
        <translation>DRAM-Bandbreite, simuliert</translation>
    </message>
    <message>
        <source>Simulated bytes from and to memory / time of the step (measured)</source>
        <translation>Simulierte Bytes vom und zum Speicher / Zeit des Schritts (gemessen)</translation>
    </message>
    <message>
        <source>Simulated DRAM [GB/s]</source>
        <translation>Simulierte DRAM-Bytes je Zeit [GB/s]</translation>
    </message>
    <message>
        <source>Parameters, states, inputs, activations and scratch, as planned</source>
        <translation>Parameter, Zustände, Eingaben, Aktivierungen und Zwischenspeicher, wie geplant</translation>
    </message>
    <message>
        <source>Memory [MB]</source>
        <translation>Speicher [MB]</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>Energie</translation>
    </message>
    <message>
        <source>Energy of the processor packages per sample (per step where there are none), other programs&apos; part included; unknown where the machine has no counter</source>
        <translation>Energie der Prozessoren je Beispiel (je Schritt, wo es keine gibt), mit dem Teil anderer Programme; unbekannt, wo die Maschine keinen Zähler hat</translation>
    </message>
    <message>
        <source>Energy per sample [J]</source>
        <translation>Energie je Beispiel [J]</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Beschleunigung</translation>
    </message>
    <message>
        <source>Step with one thread / step, all else the same; unknown without an axis of threads</source>
        <translation>Schritt mit einem Thread / Schritt, sonst alles gleich; unbekannt ohne eine Achse von Threads</translation>
    </message>
    <message>
        <source>Speed-up over one thread</source>
        <translation>Beschleunigung gegenüber einem Thread</translation>
    </message>
    <message>
        <source>Loss of the training after the last count of steps that all points have; median over processes</source>
        <translation>Verlust des Trainings nach der letzten Zahl von Schritten, die alle Punkte haben; Median über Prozesse</translation>
    </message>
    <message>
        <source>hollow: %1, %2 of %3</source>
        <translation>hohl: %1, %2 von %3</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Which rule gave the advice</source>
        <translation>Welche Regel den Rat gab</translation>
    </message>
    <message>
        <source>Tried</source>
        <translation>Versucht</translation>
    </message>
    <message>
        <source>How often its advice was tried on this machine&apos;s account</source>
        <translation>Wie oft ihr Rat auf dem Konto dieser Maschine versucht wurde</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Richtig</translation>
    </message>
    <message>
        <source>Faster beyond noise, or freed at least half of the predicted memory</source>
        <translation>Schneller über das Rauschen hinaus, oder mindestens die Hälfte des vorhergesagten Speichers frei</translation>
    </message>
    <message>
        <source>Wrong</source>
        <translation>Falsch</translation>
    </message>
    <message>
        <source>Same, slower, or freed less; the rest was not decided</source>
        <translation>Gleich, langsamer, oder weniger frei; der Rest blieb unentschieden</translation>
    </message>
    <message>
        <source>Obtained</source>
        <translation>Erreicht</translation>
    </message>
    <message>
        <source>Median of obtained / predicted: parts of a step, or bytes</source>
        <translation>Median von erreicht / vorhergesagt: Teile eines Schritts, oder Bytes</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Local time</source>
        <translation>Ortszeit</translation>
    </message>
    <message>
        <source>What was run</source>
        <translation>Was ausgeführt wurde</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>From what to what</source>
        <translation>Von was auf was</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>Vorhergesagt</translation>
    </message>
    <message>
        <source>Part of the captured step that the finding predicted</source>
        <translation>Teil des aufgezeichneten Schritts, den der Befund vorhersagte</translation>
    </message>
    <message>
        <source>Part of a step, measured again, that the change saved; negative: slower</source>
        <translation>Teil eines Schritts, neu gemessen, den die Änderung sparte; negativ: langsamer</translation>
    </message>
    <message>
        <source>at least</source>
        <translation>mindestens</translation>
    </message>
    <message>
        <source>Low end of the 95 % interval</source>
        <translation>Unteres Ende des 95-%-Intervalls</translation>
    </message>
    <message>
        <source>at most</source>
        <translation>höchstens</translation>
    </message>
    <message>
        <source>High end of the 95 % interval</source>
        <translation>Oberes Ende des 95-%-Intervalls</translation>
    </message>
    <message>
        <source>Memory freed</source>
        <translation>Speicher frei</translation>
    </message>
    <message>
        <source>Where memory was the aim</source>
        <translation>Wo Speicher das Ziel war</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>SAME, FASTER, SLOWER or UNSURE</source>
        <translation>SAME, FASTER, SLOWER oder UNSURE</translation>
    </message>
    <message>
        <source>Without the change</source>
        <translation>Ohne die Änderung</translation>
    </message>
    <message>
        <source>Whose memory</source>
        <translation>Wessen Speicher</translation>
    </message>
    <message>
        <source>Series</source>
        <translation>Reihe</translation>
    </message>
    <message>
        <source>What the allocator counted</source>
        <translation>Was der Allokator zählte</translation>
    </message>
    <message>
        <source>Since the first event of the trace</source>
        <translation>Seit dem ersten Ereignis der Spur</translation>
    </message>
    <message>
        <source>From here to the next row of the series</source>
        <translation>Von hier bis zur nächsten Zeile der Reihe</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>Stufe</translation>
    </message>
    <message>
        <source>What happens to a batch, in its order</source>
        <translation>Was mit einem Batch geschieht, der Reihe nach</translation>
    </message>
    <message>
        <source>Thread</source>
        <translation>Thread</translation>
    </message>
    <message>
        <source>main: in the step; own: beside it</source>
        <translation>main: im Schritt; own: daneben</translation>
    </message>
    <message>
        <source>Seen within the measured steps, untraced ones included</source>
        <translation>In den gemessenen Schritten gesehen, auch in denen ohne Aufzeichnung</translation>
    </message>
    <message>
        <source>Per batch</source>
        <translation>Je Batch</translation>
    </message>
    <message>
        <source>Median; compute: the median step without the lanes in it</source>
        <translation>Median; compute: der Median des Schritts ohne die Stufen darin</translation>
    </message>
    <message>
        <source>Of a step</source>
        <translation>Vom Schritt</translation>
    </message>
    <message>
        <source>Per batch / median step; lanes beside the step do not add up to it</source>
        <translation>Je Batch / Median des Schritts; Stufen neben dem Schritt ergeben ihn nicht als Summe</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Begrenzt</translation>
    </message>
    <message>
        <source>yes: the lane whose thread takes longest per batch (copy and compute share one)</source>
        <translation>yes: die Stufe, deren Thread je Batch am längsten braucht (copy und compute teilen sich einen)</translation>
    </message>
    <message>
        <source>Name of the op</source>
        <translation>Name der Op</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>What waits for what came before</source>
        <translation>Was auf das wartet, was davor kam</translation>
    </message>
    <message>
        <source>In a row</source>
        <translation>In Folge</translation>
    </message>
    <message>
        <source>Operations of which each needs the one before</source>
        <translation>Operationen, von denen jede die vorige braucht</translation>
    </message>
    <message>
        <source>In all</source>
        <translation>Zusammen</translation>
    </message>
    <message>
        <source>Operations of all independent chains together</source>
        <translation>Operationen aller unabhängigen Ketten zusammen</translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation>Lanes</translation>
    </message>
    <message>
        <source>Elements that take each step together</source>
        <translation>Elemente, die jeden Schritt gemeinsam machen</translation>
    </message>
    <message>
        <source>Work done</source>
        <translation>Getan</translation>
    </message>
    <message>
        <source>Elements&apos; worth of work of all lanes: for each path among them, all work</source>
        <translation>Arbeit aller Lanes, in Elementen: für jeden Weg, der unter ihnen vorkommt, alle Arbeit</translation>
    </message>
    <message>
        <source>Work kept</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Of it, what is part of the result</source>
        <translation>Davon das, was Teil des Ergebnisses ist</translation>
    </message>
    <message>
        <source>Done / kept</source>
        <translation>Getan / behalten</translation>
    </message>
    <message>
        <source>Work of all lanes / work that is kept</source>
        <translation>Arbeit aller Lanes / Arbeit, die behalten wird</translation>
    </message>
    <message>
        <source>Done / kept, against that of the control: the time follows the work of all lanes</source>
        <translation>Getan / behalten, gegenüber dem der Kontrolle: die Zeit folgt der Arbeit aller Lanes</translation>
    </message>
    <message>
        <source>Type of op, or function that was called</source>
        <translation>Typ der Op, oder aufgerufene Funktion</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>op or call</source>
        <translation>Op oder Aufruf</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Runs in the timed steps</source>
        <translation>Läufe in den gemessenen Schritten</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>Längste</translation>
    </message>
    <message>
        <source>The longest run</source>
        <translation>Der längste Lauf</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>Place in the list, as a trial names it</source>
        <translation>Platz in der Liste, wie ihn ein Versuch nennt</translation>
    </message>
    <message>
        <source>Which rule found it</source>
        <translation>Welche Regel ihn fand</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>Gewinn</translation>
    </message>
    <message>
        <source>Time per step it would save; of a bigger batch, for the work of this step</source>
        <translation>Zeit je Schritt, die es sparen würde; bei größerem Batch für die Arbeit dieses Schritts</translation>
    </message>
    <message>
        <source>Of step</source>
        <translation>Vom Schritt</translation>
    </message>
    <message>
        <source>Gain / median step</source>
        <translation>Gewinn / Median des Schritts</translation>
    </message>
    <message>
        <source>Memory it would free, where that is the aim; the gain of time is then negative</source>
        <translation>Speicher, der frei würde, wo das das Ziel ist; der Gewinn an Zeit ist dann negativ</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>Versuch</translation>
    </message>
    <message>
        <source>The option of `tensortide run` that changes it; empty: none does</source>
        <translation>Die Option von `tensortide run`, die es ändert; leer: keine</translation>
    </message>
    <message>
        <source>Finding</source>
        <translation>Befund</translation>
    </message>
    <message>
        <source>The claim</source>
        <translation>Die Aussage</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>Rat</translation>
    </message>
    <message>
        <source>What to do about it</source>
        <translation>Was dagegen zu tun ist</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Ops, longest first</source>
        <translation>Ops, die längste zuerst</translation>
    </message>
    <message>
        <source>How estimated</source>
        <translation>Wie geschätzt</translation>
    </message>
    <message>
        <source>How the gain was computed</source>
        <translation>Wie der Gewinn berechnet wurde</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>Beleg</translation>
    </message>
    <message>
        <source>Figures with their origins</source>
        <translation>Zahlen mit ihrer Herkunft</translation>
    </message>
    <message>
        <source>The op, by its name without fusion, that makes the value</source>
        <translation>Die Op, mit ihrem Namen ohne Fusion, die den Wert macht</translation>
    </message>
    <message>
        <source>The op that reads it</source>
        <translation>Die Op, die ihn liest</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Name of the tensor</source>
        <translation>Name des Tensors</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>Bytes the producer writes when the two are not fused</source>
        <translation>Bytes, die der Erzeuger schreibt, wenn beide nicht verschmolzen sind</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>Wieder gelesen</translation>
    </message>
    <message>
        <source>Bytes the consumer reads when the two are not fused</source>
        <translation>Bytes, die der Verbraucher liest, wenn beide nicht verschmolzen sind</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>Ausgang</translation>
    </message>
    <message>
        <source>fused, possible, or the obstacle</source>
        <translation>verschmolzen, möglich, oder das Hindernis</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>The same in words</source>
        <translation>Dasselbe in Worten</translation>
    </message>
    <message>
        <source>Nearest memory level that holds the value whole: where it would be read again from</source>
        <translation>Nächste Speicherebene, die den Wert ganz fasst: von dort würde er wieder gelesen</translation>
    </message>
    <message>
        <source>Spared</source>
        <translation>Gespart</translation>
    </message>
    <message>
        <source>Bytes neither written nor read again; a value with several readers is written once</source>
        <translation>Bytes, die weder geschrieben noch wieder gelesen werden; ein Wert mit mehreren Lesern wird einmal geschrieben</translation>
    </message>
    <message>
        <source>Starts</source>
        <translation>Starts</translation>
    </message>
    <message>
        <source>Ops fewer to start</source>
        <translation>So viele Ops weniger zu starten</translation>
    </message>
    <message>
        <source>Spared bytes over the measured bandwidth of that level, and one parallel region per start</source>
        <translation>Gesparte Bytes durch die gemessene Bandbreite dieser Ebene, und ein paralleler Abschnitt je Start</translation>
    </message>
    <message>
        <source>Fused op</source>
        <translation>Fusions-Op</translation>
    </message>
    <message>
        <source>Name of the fused op</source>
        <translation>Name der verschmolzenen Op</translation>
    </message>
    <message>
        <source>Members</source>
        <translation>Glieder</translation>
    </message>
    <message>
        <source>Ops it is made of, by their names without fusion</source>
        <translation>Ops, aus denen sie besteht, mit ihren Namen ohne Fusion</translation>
    </message>
    <message>
        <source>Bytes neither written nor read again, per step</source>
        <translation>Bytes, die weder geschrieben noch wieder gelesen werden, je Schritt</translation>
    </message>
    <message>
        <source>Median of the fused op</source>
        <translation>Median der verschmolzenen Op</translation>
    </message>
    <message>
        <source>Not fused</source>
        <translation>Getrennt</translation>
    </message>
    <message>
        <source>Sum of the members&apos; medians in the capture without fusion</source>
        <translation>Summe der Mediane der Glieder in der Aufzeichnung ohne Fusion</translation>
    </message>
    <message>
        <source>Gain predicted</source>
        <translation>Gewinn vorhergesagt</translation>
    </message>
    <message>
        <source>Sum over its pairs of the table fusion</source>
        <translation>Summe über ihre Paare der Tabelle fusion</translation>
    </message>
    <message>
        <source>Gain obtained</source>
        <translation>Gewinn erreicht</translation>
    </message>
    <message>
        <source>Not fused less fused</source>
        <translation>Getrennt minus verschmolzen</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Which of the traces that were read together</source>
        <translation>Welche der zusammen gelesenen Spuren</translation>
    </message>
    <message>
        <source>Bytes of the median call</source>
        <translation>Bytes des mittleren Aufrufs (Median)</translation>
    </message>
    <message>
        <source>In which it was launched; empty: in none</source>
        <translation>In dem es gestartet wurde; leer: in keinem</translation>
    </message>
    <message>
        <source>Of the op that launched it; empty: unknown</source>
        <translation>Der Op, die es startete; leer: unbekannt</translation>
    </message>
    <message>
        <source>Number of the device; empty: unknown</source>
        <translation>Nummer des Geräts; leer: unbekannt</translation>
    </message>
    <message>
        <source>Of ranks</source>
        <translation>Der Ränge</translation>
    </message>
    <message>
        <source>Ranks of the group</source>
        <translation>Ränge der Gruppe</translation>
    </message>
    <message>
        <source>GPU work, op, API call, or the delay between two of them</source>
        <translation>GPU-Arbeit, Op, API-Aufruf, oder der Verzug zwischen zweien davon</translation>
    </message>
    <message>
        <source>Kernel, copy, op or call; of a delay: what began behind it</source>
        <translation>Kernel, Kopie, Op oder Aufruf; bei einem Verzug: was danach begann</translation>
    </message>
    <message>
        <source>Stream or thread</source>
        <translation>Strom oder Thread</translation>
    </message>
    <message>
        <source>On the critical path, mean over the measured steps</source>
        <translation>Auf dem kritischen Pfad, Mittel über die gemessenen Schritte</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Of the step; all rows add up to it</source>
        <translation>Vom Schritt; alle Zeilen zusammen ergeben ihn</translation>
    </message>
    <message>
        <source>Parts of the path, mean over the measured steps</source>
        <translation>Teile des Pfads, Mittel über die gemessenen Schritte</translation>
    </message>
    <message>
        <source>Device, with its rank where there are several</source>
        <translation>Gerät, mit seinem Rang, wo es mehrere gibt</translation>
    </message>
    <message>
        <source>Stream of that device</source>
        <translation>Strom dieses Geräts</translation>
    </message>
    <message>
        <source>Empty</source>
        <translation>Leer</translation>
    </message>
    <message>
        <source>Part of that time in which nothing waits: the GPU is ahead of the host</source>
        <translation>Teil dieser Zeit, in dem nichts wartet: die GPU ist dem Host voraus</translation>
    </message>
    <message>
        <source>The op that launched it; empty: none is known</source>
        <translation>Die Op, die es startete; leer: keine bekannt</translation>
    </message>
    <message>
        <source>Name without template arguments</source>
        <translation>Name ohne Template-Argumente</translation>
    </message>
    <message>
        <source>Launches</source>
        <translation>Starts</translation>
    </message>
    <message>
        <source>In the whole capture; the rows add up to all</source>
        <translation>In der ganzen Aufzeichnung; die Zeilen zusammen ergeben alle</translation>
    </message>
    <message>
        <source>Blocks along x, y and z</source>
        <translation>Blöcke entlang x, y und z</translation>
    </message>
    <message>
        <source>Threads of a block along x, y and z</source>
        <translation>Threads eines Blocks entlang x, y und z</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Blocks of one launch</source>
        <translation>Blöcke eines Starts</translation>
    </message>
    <message>
        <source>Threads of one launch: blocks x threads of a block</source>
        <translation>Threads eines Starts: Blöcke x Threads eines Blocks</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Gesamt</translation>
    </message>
    <message>
        <source>Time of all these launches</source>
        <translation>Zeit aller dieser Starts</translation>
    </message>
    <message>
        <source>Op&apos;s bytes</source>
        <translation>Bytes der Op</translation>
    </message>
    <message>
        <source>Compulsory bytes of the op: every operand once</source>
        <translation>Zwingende Bytes der Op: jeder Operand einmal</translation>
    </message>
    <message>
        <source>Number of the device that copied; empty: unknown, or the host itself</source>
        <translation>Nummer des Geräts, das kopierte; leer: unbekannt, oder der Host selbst</translation>
    </message>
    <message>
        <source>From where to where</source>
        <translation>Woher wohin</translation>
    </message>
    <message>
        <source>Kinds of memory at both ends</source>
        <translation>Arten des Speichers an beiden Enden</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>Kopien</translation>
    </message>
    <message>
        <source>Those that the fit is made from: none ran beside them the other way</source>
        <translation>Die, aus denen die Anpassung gemacht ist: neben ihnen lief keine in Gegenrichtung</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>Different sizes among them; alpha and beta need three, a factor of 16 apart</source>
        <translation>Verschiedene Größen darunter; alpha und beta brauchen drei, um den Faktor 16 auseinander</translation>
    </message>
    <message>
        <source>Smallest</source>
        <translation>Kleinste</translation>
    </message>
    <message>
        <source>The smallest of them</source>
        <translation>Die kleinste davon</translation>
    </message>
    <message>
        <source>The largest of them</source>
        <translation>Die größte davon</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>Alpha</translation>
    </message>
    <message>
        <source>Fixed time of a copy: time = alpha + beta x bytes, a least-squares fit to the median time of each size (relative errors). Times are the GPU&apos;s where its kernels were recorded, else the host&apos;s</source>
        <translation>Feste Zeit einer Kopie: Zeit = alpha + beta x Bytes, mit kleinsten Quadraten an den Median der Zeit jeder Größe angepasst (relative Fehler). Zeiten sind die der GPU, wo ihre Kernel aufgezeichnet wurden, sonst die des Hosts</translation>
    </message>
    <message>
        <source>1 / beta</source>
        <translation>1 / beta</translation>
    </message>
    <message>
        <source>Bytes per second that large copies approach</source>
        <translation>Bytes je Sekunde, denen sich große Kopien nähern</translation>
    </message>
    <message>
        <source>Half rate at</source>
        <translation>Halbe Rate bei</translation>
    </message>
    <message>
        <source>Size whose copy reaches half of that: alpha / beta</source>
        <translation>Größe, deren Kopie die Hälfte davon erreicht: alpha / beta</translation>
    </message>
    <message>
        <source>Deviation</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>Largest relative distance of a size&apos;s median from the fit</source>
        <translation>Größter relativer Abstand des Medians einer Größe von der Anpassung</translation>
    </message>
    <message>
        <source>Fastest size</source>
        <translation>Schnellste Größe</translation>
    </message>
    <message>
        <source>Bytes / median time of the size with the highest rate</source>
        <translation>Bytes / Median der Zeit der Größe mit der höchsten Rate</translation>
    </message>
    <message>
        <source>Both ways</source>
        <translation>Beidseitig</translation>
    </message>
    <message>
        <source>Bytes of both directions together per second, while copies of both were under way on this device; unknown: they never were</source>
        <translation>Bytes beider Richtungen zusammen je Sekunde, solange auf diesem Gerät Kopien beider unterwegs waren; unbekannt: das kam nie vor</translation>
    </message>
    <message>
        <source>Index of the step; empty: the capture has none, the row is all of the device&apos;s work</source>
        <translation>Index des Schritts; leer: die Aufzeichnung hat keinen, die Zeile ist alle Arbeit des Geräts</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>Started within the step; those that compute, and memsets</source>
        <translation>Im Schritt gestartet; die, die rechnen, und Memsets</translation>
    </message>
    <message>
        <source>Comm.</source>
        <translation>Komm.</translation>
    </message>
    <message>
        <source>Kernels of communication, started within the step</source>
        <translation>Kernel der Kommunikation, im Schritt gestartet</translation>
    </message>
    <message>
        <source>Started within the step</source>
        <translation>Im Schritt gestartet</translation>
    </message>
    <message>
        <source>Bound</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Limit of the GPU; thresholds are rows of the verdict rules</source>
        <translation>Grenze der GPU; Schwellen sind Zeilen der Regeln für Urteile</translation>
    </message>
    <message>
        <source>Whose bytes; empty: not recorded</source>
        <translation>Wessen Bytes; leer: nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Why it was copied; empty: unknown</source>
        <translation>Warum kopiert wurde; leer: unbekannt</translation>
    </message>
    <message>
        <source>Number of the device that copied; empty: unknown</source>
        <translation>Nummer des Geräts, das kopierte; leer: unbekannt</translation>
    </message>
    <message>
        <source>Kinds of memory at both ends; pageable memory is staged by the driver</source>
        <translation>Arten des Speichers an beiden Enden; auslagerbaren Speicher kopiert der Treiber über einen Puffer</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Auftrag</translation>
    </message>
    <message>
        <source>Whether the caller asked to go on while it ran</source>
        <translation>Ob der Aufrufer währenddessen weiterlaufen wollte</translation>
    </message>
    <message>
        <source>In the whole capture</source>
        <translation>In der ganzen Aufzeichnung</translation>
    </message>
    <message>
        <source>Sum; unknown sizes are left out</source>
        <translation>Summe; unbekannte Größen sind ausgelassen</translation>
    </message>
    <message>
        <source>Bytes each</source>
        <translation>Bytes je Kopie</translation>
    </message>
    <message>
        <source>Sum / copies of known size: of one copy</source>
        <translation>Summe / Kopien bekannter Größe: von einer Kopie</translation>
    </message>
    <message>
        <source>Sum of the copies&apos; own times</source>
        <translation>Summe der eigenen Zeiten der Kopien</translation>
    </message>
    <message>
        <source>Bytes / time; empty: unknown sizes, or copies of less than 4 KiB or 100 ns</source>
        <translation>Bytes / Zeit; leer: unbekannte Größen, oder Kopien unter 4 KiB oder 100 ns</translation>
    </message>
    <message>
        <source>Exposed</source>
        <translation>Unverdeckt</translation>
    </message>
    <message>
        <source>Time of the copies during which no kernel ran on that device</source>
        <translation>Zeit der Kopien, in der auf diesem Gerät kein Kernel lief</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>Time the host spent in the calls that ordered them</source>
        <translation>Zeit, die der Host in den Aufrufen verbrachte, die sie in Auftrag gaben</translation>
    </message>
    <message>
        <source>Avoidable</source>
        <translation>Vermeidbar</translation>
    </message>
    <message>
        <source>Copies whose source had not been written since the copy before to the same place; unknown without a record of writes</source>
        <translation>Kopien, deren Quelle seit der vorigen Kopie an denselben Ort nicht geschrieben wurde; unbekannt ohne Aufzeichnung der Schreibzugriffe</translation>
    </message>
    <message>
        <source>Avoidable bytes</source>
        <translation>Vermeidbare Bytes</translation>
    </message>
    <message>
        <source>Bytes of those</source>
        <translation>Deren Bytes</translation>
    </message>
    <message>
        <source>Loads</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Instructions that read memory; a vector is one</source>
        <translation>Befehle, die Speicher lesen; ein Vektor ist einer</translation>
    </message>
    <message>
        <source>Stores</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Instructions that write memory; a vector is one</source>
        <translation>Befehle, die Speicher schreiben; ein Vektor ist einer</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>Sprünge</translation>
    </message>
    <message>
        <source>Turns of loops: each ends in a conditional jump, unless the compiler unrolls</source>
        <translation>Durchläufe von Schleifen: jeder endet mit einem bedingten Sprung, wenn der Compiler nicht entrollt</translation>
    </message>
    <message>
        <source>FLOPs / 2</source>
        <translation>FLOPs / 2</translation>
    </message>
    <message>
        <source>Accesses each</source>
        <translation>Zugriffe je</translation>
    </message>
    <message>
        <source>(Loads + stores) / multiply-adds</source>
        <translation>(Laden + Schreiben) / Multiply-Adds</translation>
    </message>
    <message>
        <source>Branches each</source>
        <translation>Sprünge je</translation>
    </message>
    <message>
        <source>Branches / multiply-adds</source>
        <translation>Sprünge / Multiply-Adds</translation>
    </message>
    <message>
        <source>Known how</source>
        <translation>Woher bekannt</translation>
    </message>
    <message>
        <source>exact: counted from the loops of our kernel; modelled: tiles of a library are assumed</source>
        <translation>exakt: aus den Schleifen unseres Kernels gezählt; modelliert: Kacheln einer Bibliothek sind angenommen</translation>
    </message>
    <message>
        <source>Why not</source>
        <translation>Warum nicht</translation>
    </message>
    <message>
        <source>Why counts are unknown</source>
        <translation>Warum die Zahlen unbekannt sind</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>Innerhalb</translation>
    </message>
    <message>
        <source>The range that holds most of them; empty: none does</source>
        <translation>Der Bereich, der die meisten davon enthält; leer: keiner</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>Tiefe</translation>
    </message>
    <message>
        <source>Ranges around the outermost of them</source>
        <translation>Bereiche um den äußersten von ihnen</translation>
    </message>
    <message>
        <source>On a host thread, or on a GPU&apos;s stream beside the work of that range</source>
        <translation>Auf einem Thread des Hosts, oder auf dem Strom einer GPU neben der Arbeit dieses Bereichs</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Calls that returned an error</source>
        <translation>Aufrufe, die einen Fehler zurückgaben</translation>
    </message>
    <message>
        <source>Name as the trace has it</source>
        <translation>Name, wie ihn die Spur hat</translation>
    </message>
    <message>
        <source>Call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>Function of the CUDA runtime or driver</source>
        <translation>Funktion der CUDA-Laufzeit oder des Treibers</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Name of the annotation, layer, step or span</source>
        <translation>Name der Annotation, der Schicht, des Schritts oder Abschnitts</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Op that wrote the tensor last before it is read</source>
        <translation>Op, die den Tensor zuletzt schrieb, bevor er gelesen wird</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Zu</translation>
    </message>
    <message>
        <source>Op that reads it</source>
        <translation>Op, die ihn liest</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>Rolle</translation>
    </message>
    <message>
        <source>Whose bytes these are</source>
        <translation>Wessen Bytes das sind</translation>
    </message>
    <message>
        <source>Data type</source>
        <translation>Datentyp</translation>
    </message>
    <message>
        <source>Data type of the tensor</source>
        <translation>Datentyp des Tensors</translation>
    </message>
    <message>
        <source>Extents of the tensor</source>
        <translation>Ausdehnungen des Tensors</translation>
    </message>
    <message>
        <source>Compulsory bytes that the reader reads; 0: a view</source>
        <translation>Zwingende Bytes, die der Leser liest; 0: eine Sicht</translation>
    </message>
    <message>
        <source>From pass</source>
        <translation>Aus Durchgang</translation>
    </message>
    <message>
        <source>Part of the step of the op that writes</source>
        <translation>Teil des Schritts der Op, die schreibt</translation>
    </message>
    <message>
        <source>To pass</source>
        <translation>In Durchgang</translation>
    </message>
    <message>
        <source>Part of the step of the op that reads</source>
        <translation>Teil des Schritts der Op, die liest</translation>
    </message>
    <message>
        <source>On-chip memory</source>
        <translation>Speicher auf Chip</translation>
    </message>
    <message>
        <source>Size of the memory on the chip</source>
        <translation>Größe des Speichers auf dem Chip</translation>
    </message>
    <message>
        <source>Bytes of a step to and from off-chip memory: buffers used last stay on the chip</source>
        <translation>Bytes eines Schritts vom und zum Speicher außerhalb des Chips: zuletzt benutzte Puffer bleiben auf dem Chip</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>Gespart</translation>
    </message>
    <message>
        <source>Of the bytes of all operands</source>
        <translation>Von den Bytes aller Operanden</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>What this size is</source>
        <translation>Was diese Größe ist</translation>
    </message>
    <message>
        <source>Index of the step</source>
        <translation>Index des Schritts</translation>
    </message>
    <message>
        <source>Ops that ran in it</source>
        <translation>Ops, die darin liefen</translation>
    </message>
    <message>
        <source>As the first step</source>
        <translation>Wie der erste Schritt</translation>
    </message>
    <message>
        <source>Whether op after op is the same</source>
        <translation>Ob Op für Op dasselbe läuft</translation>
    </message>
    <message>
        <source>First difference at</source>
        <translation>Erster Unterschied bei</translation>
    </message>
    <message>
        <source>Place of the first op that differs, counted from 1</source>
        <translation>Platz der ersten Op, die abweicht, ab 1 gezählt</translation>
    </message>
    <message>
        <source>Op there</source>
        <translation>Op dort</translation>
    </message>
    <message>
        <source>What this step ran at that place</source>
        <translation>Was dieser Schritt an diesem Platz ausführte</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>Besitzer</translation>
    </message>
    <message>
        <source>Whose bytes</source>
        <translation>Wessen Bytes</translation>
    </message>
    <message>
        <source>Resident at the end of the steps; of tensors as planned (exact)</source>
        <translation>Resident am Ende der Schritte; bei Tensoren wie geplant (exakt)</translation>
    </message>
    <message>
        <source>Of the resident memory</source>
        <translation>Vom residenten Speicher</translation>
    </message>
    <message>
        <source>An output of the graph; or all parameters, by name</source>
        <translation>Eine Ausgabe des Graphen; oder alle Parameter, nach Namen</translation>
    </message>
    <message>
        <source>Of its elements</source>
        <translation>Von seinen Elementen</translation>
    </message>
    <message>
        <source>Extents</source>
        <translation>Ausdehnungen</translation>
    </message>
    <message>
        <source>After step</source>
        <translation>Nach Schritt</translation>
    </message>
    <message>
        <source>The step after which it was read; 1 is the first</source>
        <translation>Der Schritt, nach dem es gelesen wurde; 1 ist der erste</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>Prüfsumme</translation>
    </message>
    <message>
        <source>XXH3-64 of its bytes in row-major order</source>
        <translation>XXH3-64 seiner Bytes in Zeilenordnung</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>Number of values</source>
        <translation>Anzahl der Werte</translation>
    </message>
    <message>
        <source>Values that are not finite numbers</source>
        <translation>Werte, die keine endlichen Zahlen sind</translation>
    </message>
    <message>
        <source>Smallest finite value</source>
        <translation>Kleinster endlicher Wert</translation>
    </message>
    <message>
        <source>Largest finite value</source>
        <translation>Größter endlicher Wert</translation>
    </message>
    <message>
        <source>Mean of the finite values</source>
        <translation>Mittel der endlichen Werte</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>Norm</translation>
    </message>
    <message>
        <source>Root of the sum of squares of the finite values</source>
        <translation>Wurzel aus der Summe der Quadrate der endlichen Werte</translation>
    </message>
    <message>
        <source>First values</source>
        <translation>Erste Werte</translation>
    </message>
    <message>
        <source>In row-major order</source>
        <translation>In Zeilenordnung</translation>
    </message>
    <message>
        <source>The buffer; its views count as it</source>
        <translation>Der Puffer; seine Sichten zählen als er</translation>
    </message>
    <message>
        <source>Whose bytes it holds</source>
        <translation>Wessen Bytes er enthält</translation>
    </message>
    <message>
        <source>Bytes it occupies</source>
        <translation>Bytes, die er belegt</translation>
    </message>
    <message>
        <source>Uses</source>
        <translation>Benutzt</translation>
    </message>
    <message>
        <source>Ops of a step that read or write it</source>
        <translation>Ops eines Schritts, die ihn lesen oder schreiben</translation>
    </message>
    <message>
        <source>Reuses</source>
        <translation>Erneut</translation>
    </message>
    <message>
        <source>Uses with an earlier use of the same content, in this step or the one before</source>
        <translation>Benutzungen mit einer früheren Benutzung desselben Inhalts, in diesem Schritt oder dem davor</translation>
    </message>
    <message>
        <source>Shortest distance</source>
        <translation>Kürzester Abstand</translation>
    </message>
    <message>
        <source>Bytes of all buffers touched from one use to the next, both ops included</source>
        <translation>Bytes aller Puffer, die von einer Benutzung zur nächsten berührt werden, beide Ops eingeschlossen</translation>
    </message>
    <message>
        <source>Longest distance</source>
        <translation>Längster Abstand</translation>
    </message>
    <message>
        <source>The same, of the farthest reuse</source>
        <translation>Dasselbe, der fernsten Wiederbenutzung</translation>
    </message>
    <message>
        <source>Beyond</source>
        <translation>Jenseits</translation>
    </message>
    <message>
        <source>Reuses at a distance beyond all caches; all reuses where no cache size is known</source>
        <translation>Wiederbenutzungen in einem Abstand jenseits aller Caches; alle, wo keine Cache-Größe bekannt ist</translation>
    </message>
    <message>
        <source>Type of the op that made it; none: it is there before the step</source>
        <translation>Typ der Op, die ihn machte; keine: er ist vor dem Schritt da</translation>
    </message>
    <message>
        <source>view: names bytes of another tensor; in place: overwrites another tensor&apos;s bytes; copy: row-major copy; own: has bytes of its own</source>
        <translation>view: nennt Bytes eines anderen Tensors; in place: überschreibt Bytes eines anderen Tensors; copy: Kopie in Zeilenordnung; own: hat eigene Bytes</translation>
    </message>
    <message>
        <source>Whose bytes they are; a view has that of its storage</source>
        <translation>Wessen Bytes es sind; eine Sicht hat die Rolle ihres Speichers</translation>
    </message>
    <message>
        <source>Elements from the first of the storage to its own first one</source>
        <translation>Elemente vom ersten des Speichers bis zum eigenen ersten</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>The tensor that owns the bytes</source>
        <translation>Der Tensor, dem die Bytes gehören</translation>
    </message>
    <message>
        <source>Product of the extents</source>
        <translation>Produkt der Ausdehnungen</translation>
    </message>
    <message>
        <source>Elements times bytes of one</source>
        <translation>Elemente mal Bytes eines Elements</translation>
    </message>
    <message>
        <source>Moved</source>
        <translation>Bewegt</translation>
    </message>
    <message>
        <source>Read and written by the op that made it; 0 of a view</source>
        <translation>Gelesen und geschrieben von der Op, die ihn machte; 0 bei einer Sicht</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Farther and nearer level</source>
        <translation>Fernere und nähere Ebene</translation>
    </message>
    <message>
        <source>Compulsory</source>
        <translation>Zwingend</translation>
    </message>
    <message>
        <source>Every distinct operand byte once</source>
        <translation>Jedes verschiedene Byte der Operanden einmal</translation>
    </message>
    <message>
        <source>Amplif.</source>
        <translation>Verstärk.</translation>
    </message>
    <message>
        <source>Best known bytes / compulsory; below 1: a cache still held some</source>
        <translation>Beste bekannte Bytes / zwingend; unter 1: ein Cache enthielt noch etwas davon</translation>
    </message>
    <message>
        <source>Over bound</source>
        <translation>Über Grenze</translation>
    </message>
    <message>
        <source>Best known bytes / I/O lower bound</source>
        <translation>Beste bekannte Bytes / untere I/O-Grenze</translation>
    </message>
    <message>
        <source>Best known</source>
        <translation>Beste Bytes</translation>
    </message>
    <message>
        <source>Measured before simulated before modelled</source>
        <translation>Gemessen vor simuliert vor modelliert</translation>
    </message>
    <message>
        <source>Band</source>
        <translation>Band</translation>
    </message>
    <message>
        <source>Error band of the best known bytes</source>
        <translation>Fehlerband der besten bekannten Bytes</translation>
    </message>
    <message>
        <source>Write-alloc.</source>
        <translation>Write-Alloc.</translation>
    </message>
    <message>
        <source>Part of what is read: lines fetched because of a store</source>
        <translation>Teil des Gelesenen: Zeilen, die wegen eines Schreibzugriffs geholt wurden</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Accesses to lines of the inner level that found the line</source>
        <translation>Zugriffe auf Zeilen der inneren Ebene, die die Zeile fanden</translation>
    </message>
    <message>
        <source>Misses</source>
        <translation>Fehlzugr.</translation>
    </message>
    <message>
        <source>Accesses to lines of the inner level that did not</source>
        <translation>Zugriffe auf Zeilen der inneren Ebene, die sie nicht fanden</translation>
    </message>
    <message>
        <source>Misses / accesses at the inner level</source>
        <translation>Fehlzugriffe / Zugriffe auf der inneren Ebene</translation>
    </message>
    <message>
        <source>Layer condition</source>
        <translation>Layer Condition</translation>
    </message>
    <message>
        <source>Windows: whether the rows of one window stay in half of the inner level</source>
        <translation>Fenster: ob die Zeilen eines Fensters in der Hälfte der inneren Ebene bleiben</translation>
    </message>
    <message>
        <source>How the op&apos;s accesses are known, or why not</source>
        <translation>Woher die Zugriffe der Op bekannt sind, oder warum nicht</translation>
    </message>
    <message>
        <source>Whose bytes; panels packed by a kernel have no name and are not listed</source>
        <translation>Wessen Bytes; von einem Kernel gepackte Panels haben keinen Namen und stehen nicht hier</translation>
    </message>
    <message>
        <source>Its role</source>
        <translation>Seine Rolle</translation>
    </message>
    <message>
        <source>At the inner level</source>
        <translation>Auf der inneren Ebene</translation>
    </message>
    <message>
        <source>Kind of op</source>
        <translation>Art der Op</translation>
    </message>
    <message>
        <source>Path of the layer that wrote the op</source>
        <translation>Pfad der Schicht, die die Op schrieb</translation>
    </message>
    <message>
        <source>Part of the step: forward, backward or update</source>
        <translation>Teil des Schritts: vorwärts, rückwärts oder Update</translation>
    </message>
    <message>
        <source>Who computed it</source>
        <translation>Wer sie rechnete</translation>
    </message>
    <message>
        <source>Parts of the path; rows of depth 1 add up to the step</source>
        <translation>Teile des Pfads; Zeilen der Tiefe 1 ergeben zusammen den Schritt</translation>
    </message>
    <message>
        <source>Where it ran; several: the row adds them up</source>
        <translation>Wo sie lief; mehrere: die Zeile zählt sie zusammen</translation>
    </message>
    <message>
        <source>Share of the median step. All ops, the time outside them and the step-to-step variation add up to 1</source>
        <translation>Anteil am Median des Schritts. Alle Ops, die Zeit außerhalb und die Schwankung von Schritt zu Schritt ergeben zusammen 1</translation>
    </message>
    <message>
        <source>Counted from shapes; a multiply-add is 2</source>
        <translation>Aus Formen gezählt; ein Multiply-Add sind 2</translation>
    </message>
    <message>
        <source>FLOPs / time</source>
        <translation>FLOPs / Zeit</translation>
    </message>
    <message>
        <source>Every operand byte once per op</source>
        <translation>Jedes Byte der Operanden einmal je Op</translation>
    </message>
    <message>
        <source>Intensity</source>
        <translation>Intensität</translation>
    </message>
    <message>
        <source>FLOPs / </source>
        <translation>FLOPs / </translation>
    </message>
    <message>
        <source>Of roof</source>
        <translation>Vom Dach</translation>
    </message>
    <message>
        <source>Time at the nearest roof / time; groups: weighted by time. Empty where an op is above its roof, which is no bound then</source>
        <translation>Zeit am nächsten Dach / Zeit; Gruppen: nach Zeit gewichtet. Leer, wo eine Op über ihrem Dach liegt, das dann keine Grenze ist</translation>
    </message>
    <message>
        <source>Bytes are</source>
        <translation>Bytes sind</translation>
    </message>
    <message>
        <source>Origin of this row&apos;s bytes and of what follows from them: measured before simulated before modelled. Groups: the best that covers all ops</source>
        <translation>Herkunft der Bytes dieser Zeile und dessen, was aus ihnen folgt: gemessen vor simuliert vor modelliert. Gruppen: die beste, die alle Ops umfasst</translation>
    </message>
    <message>
        <source>What limits it, by measured time and roofs and the best known bytes</source>
        <translation>Was sie begrenzt, nach gemessener Zeit, gemessenen Dächern und den besten bekannten Bytes</translation>
    </message>
    <message>
        <source>If removed</source>
        <translation>Ohne Grenze</translation>
    </message>
    <message>
        <source>Largest speed-up without this limit. Empty: unknown, or none because the next limit is as near</source>
        <translation>Größte Beschleunigung ohne diese Grenze. Leer: unbekannt, oder keine, weil die nächste Grenze ebenso nah ist</translation>
    </message>
    <message>
        <source>Roof</source>
        <translation>Dach</translation>
    </message>
    <message>
        <source>Name with its value</source>
        <translation>Name mit seinem Wert</translation>
    </message>
    <message>
        <source>Memory level; empty for arithmetic</source>
        <translation>Speicherebene; leer bei Arithmetik</translation>
    </message>
    <message>
        <source>Dtype</source>
        <translation>Datentyp</translation>
    </message>
    <message>
        <source>Arithmetic roofs: data type</source>
        <translation>Dächer der Arithmetik: Datentyp</translation>
    </message>
    <message>
        <source>Worker threads measured with</source>
        <translation>Worker-Threads, mit denen gemessen wurde</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>At this step&apos;s mix of reads and writes, line fills of stores counted</source>
        <translation>Bei der Mischung aus Lesen und Schreiben dieses Schritts, das Füllen von Zeilen beim Schreiben mitgezählt</translation>
    </message>
    <message>
        <source>Lowest</source>
        <translation>Kleinster</translation>
    </message>
    <message>
        <source>Lowest repeat of a bandwidth</source>
        <translation>Kleinste Wiederholung einer Bandbreite</translation>
    </message>
    <message>
        <source>Highest</source>
        <translation>Größter</translation>
    </message>
    <message>
        <source>Highest repeat of a bandwidth</source>
        <translation>Größte Wiederholung einer Bandbreite</translation>
    </message>
    <message>
        <source>The fastest arithmetic that was measured; the last column is its method</source>
        <translation>Die schnellste Arithmetik, die gemessen wurde; die letzte Spalte ist ihre Methode</translation>
    </message>
    <message>
        <source>Lowest repeat of a peak</source>
        <translation>Kleinste Wiederholung einer Spitze</translation>
    </message>
    <message>
        <source>Highest repeat of a peak</source>
        <translation>Größte Wiederholung einer Spitze</translation>
    </message>
    <message>
        <source>Measured how</source>
        <translation>Wie gemessen</translation>
    </message>
    <message>
        <source>Arithmetic roofs: what was timed, arithmetic in registers or a GEMM, or the data sheet</source>
        <translation>Dächer der Arithmetik: was gemessen wurde, Arithmetik in Registern oder ein GEMM, oder das Datenblatt</translation>
    </message>
    <message>
        <source>Origin</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>Measured on this machine, or specified by a data sheet</source>
        <translation>Auf dieser Maschine gemessen, oder von einem Datenblatt angegeben</translation>
    </message>
    <message>
        <source>What limits it</source>
        <translation>Was sie begrenzt</translation>
    </message>
    <message>
        <source>At which memory level</source>
        <translation>Auf welcher Speicherebene</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>Verlässlich</translation>
    </message>
    <message>
        <source>firm: the same under all perturbations; else likely. Empty: there is no class</source>
        <translation>firm: unter allen Störungen gleich; sonst likely. Leer: es gibt keine Klasse</translation>
    </message>
    <message>
        <source>Else</source>
        <translation>Sonst</translation>
    </message>
    <message>
        <source>Class if the inputs are off by their error bands</source>
        <translation>Klasse, wenn die Eingaben um ihre Fehlerbänder danebenliegen</translation>
    </message>
    <message>
        <source>Time at the binding roof / time; of noisy times their lower quartile</source>
        <translation>Zeit am begrenzenden Dach / Zeit; bei schwankenden Zeiten ihr unteres Quartil</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>Ursache</translation>
    </message>
    <message>
        <source>Why the limit binds</source>
        <translation>Warum die Grenze bindet</translation>
    </message>
    <message>
        <source>The reasoning with its numbers</source>
        <translation>Die Begründung mit ihren Zahlen</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>Schwelle</translation>
    </message>
    <message>
        <source>Its name in verdict_rules.json of the configuration folder</source>
        <translation>Ihr Name in verdict_rules.json des Konfigurationsordners</translation>
    </message>
    <message>
        <source>What applies</source>
        <translation>Was gilt</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>Üblich</translation>
    </message>
    <message>
        <source>Value unless the user&apos;s file sets another</source>
        <translation>Wert, wenn die Datei des Benutzers keinen anderen setzt</translation>
    </message>
    <message>
        <source>Least it can be set to</source>
        <translation>Das Kleinste, auf das sie sich setzen lässt</translation>
    </message>
    <message>
        <source>Most it can be set to</source>
        <translation>Das Größte, auf das sie sich setzen lässt</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>What it decides</source>
        <translation>Was sie entscheidet</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Its source</source>
        <translation>Ihre Quelle</translation>
    </message>
    <message>
        <source>Fact</source>
        <translation>Fakt</translation>
    </message>
    <message>
        <source>Name of the fact; ends in its unit</source>
        <translation>Name des Fakts; endet mit seiner Einheit</translation>
    </message>
    <message>
        <source>In base units</source>
        <translation>In Grundeinheiten</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>Base unit of the value</source>
        <translation>Grundeinheit des Werts</translation>
    </message>
    <message>
        <source>How the value was obtained</source>
        <translation>Wie der Wert entstand</translation>
    </message>
    <message>
        <source>Shown</source>
        <translation>Gezeigt</translation>
    </message>
    <message>
        <source>The value for people</source>
        <translation>Der Wert für Menschen</translation>
    </message>
    <message>
        <source>Comp. read</source>
        <translation>Zwing. gelesen</translation>
    </message>
    <message>
        <source>Comp. written</source>
        <translation>Zwing. geschr.</translation>
    </message>
    <message>
        <source>Best known bytes / compulsory</source>
        <translation>Beste bekannte Bytes / zwingend</translation>
    </message>
    <message>
        <source>Amplif. of</source>
        <translation>Verstärk. aus</translation>
    </message>
    <message>
        <source>Origin of the bytes of the amplification: measured before simulated before modelled, the same for all ops of the step</source>
        <translation>Herkunft der Bytes der Verstärkung: gemessen vor simuliert vor modelliert, dieselbe für alle Ops des Schritts</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>Simuliert</translation>
    </message>
    <message>
        <source>Part of the compulsory bytes that belongs to ops that were simulated</source>
        <translation>Teil der zwingenden Bytes, der zu simulierten Ops gehört</translation>
    </message>
    <message>
        <source>Whose bytes the intensity uses</source>
        <translation>Wessen Bytes die Intensität benutzt</translation>
    </message>
    <message>
        <source>FLOPs / bytes at the level; empty: no bytes there</source>
        <translation>FLOPs / Bytes auf der Ebene; leer: dort keine Bytes</translation>
    </message>
    <message>
        <source>Attainable</source>
        <translation>Erreichbar</translation>
    </message>
    <message>
        <source>min(peak, intensity x bandwidth of the op&apos;s mix), over the bytes of the intensity</source>
        <translation>min(Spitze, Intensität x Bandbreite der Mischung der Op), über den Bytes der Intensität</translation>
    </message>
    <message>
        <source>Median over the traced steps</source>
        <translation>Median über die aufgezeichneten Schritte</translation>
    </message>
    <message>
        <source>Winnable</source>
        <translation>Gewinnbar</translation>
    </message>
    <message>
        <source>Time above the roof over those bytes</source>
        <translation>Zeit über dem Dach zu diesen Bytes</translation>
    </message>
    <message>
        <source>Origin of the bytes of this row, and so of intensity, attainable and potential savings. None: no bytes at this level, only arithmetic is its roof</source>
        <translation>Herkunft der Bytes dieser Zeile und damit von Intensität, Erreichbarem und möglichem Gewinn. Keine: keine Bytes auf dieser Ebene, nur die Arithmetik ist ihr Dach</translation>
    </message>
    <message>
        <source>In whose memory it lies</source>
        <translation>In wessen Speicher er liegt</translation>
    </message>
    <message>
        <source>Data type of its elements</source>
        <translation>Datentyp seiner Elemente</translation>
    </message>
    <message>
        <source>Extents of its axes, outermost first</source>
        <translation>Ausdehnungen seiner Achsen, die äußerste zuerst</translation>
    </message>
    <message>
        <source>Bytes it occupies; 0: a view of another</source>
        <translation>Bytes, die er belegt; 0: eine Sicht auf einen anderen</translation>
    </message>
    <message>
        <source>From the op that writes it to its last reader</source>
        <translation>Von der Op, die ihn schreibt, bis zu seinem letzten Leser</translation>
    </message>
    <message>
        <source>Bytes alive while this op runs</source>
        <translation>Bytes, die leben, während diese Op läuft</translation>
    </message>
    <message>
        <source>Part of the step</source>
        <translation>Teil des Schritts</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Lebend</translation>
    </message>
    <message>
        <source>Sum of the roles</source>
        <translation>Summe der Rollen</translation>
    </message>
    <message>
        <source>Op in the order of the step</source>
        <translation>Op in der Reihenfolge des Schritts</translation>
    </message>
    <message>
        <source>Forward, backward or update</source>
        <translation>Vorwärts, rückwärts oder Update</translation>
    </message>
    <message>
        <source>Stored</source>
        <translation>Abgelegt</translation>
    </message>
    <message>
        <source>Bytes of tensors stored when it begins</source>
        <translation>Bytes der Tensoren, die bei ihrem Beginn abgelegt werden</translation>
    </message>
    <message>
        <source>Freed</source>
        <translation>Wird frei</translation>
    </message>
    <message>
        <source>Bytes of tensors freed when it has ended</source>
        <translation>Bytes der Tensoren, die nach ihrem Ende freigegeben werden</translation>
    </message>
    <message>
        <source>Alive</source>
        <translation>Lebend</translation>
    </message>
    <message>
        <source>Bytes alive while it runs, without weights, inputs and optimiser state</source>
        <translation>Bytes, die leben, während sie läuft, ohne Gewichte, Eingaben und Zustand des Optimierers</translation>
    </message>
    <message>
        <source>Kept for backward</source>
        <translation>Für rückwärts</translation>
    </message>
    <message>
        <source>Bytes of forward results alive that the backward pass reads</source>
        <translation>Lebende Bytes von Vorwärts-Ergebnissen, die der Rückwärtsdurchgang liest</translation>
    </message>
    <message>
        <source>That made it; none: it is there before the step</source>
        <translation>Die ihn machte; keine: er ist vor dem Schritt da</translation>
    </message>
    <message>
        <source>Whose bytes it is</source>
        <translation>Wessen Bytes er ist</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Values that the capture holds</source>
        <translation>Werte, die die Aufzeichnung enthält</translation>
    </message>
    <message>
        <source>No number</source>
        <translation>Keine Zahl</translation>
    </message>
    <message>
        <source>Values that are no number; unknown where not all are kept</source>
        <translation>Werte, die keine Zahl sind; unbekannt, wo nicht alle behalten sind</translation>
    </message>
    <message>
        <source>Values that are no number, and infinities, together</source>
        <translation>Werte, die keine Zahl sind, und Unendlich, zusammen</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>Histogramm</translation>
    </message>
    <message>
        <source>Kept values in 16 bins from the least to the largest</source>
        <translation>Behaltene Werte in 16 Klassen vom kleinsten bis zum größten</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>What is counted</source>
        <translation>Was gezählt wird</translation>
    </message>
    <message>
        <source>Per step</source>
        <translation>Je Schritt</translation>
    </message>
    <message>
        <source>Of one step, over the whole batch</source>
        <translation>Eines Schritts, über den ganzen Batch</translation>
    </message>
    <message>
        <source>Per token</source>
        <translation>Je Token</translation>
    </message>
    <message>
        <source>Divided by the tokens of a step</source>
        <translation>Durch die Tokens eines Schritts</translation>
    </message>
    <message>
        <source>The same in base units: B, ns</source>
        <translation>Dasselbe in Grundeinheiten: B, ns</translation>
    </message>
    <message>
        <source>Of all compulsory bytes of the step</source>
        <translation>Von allen zwingenden Bytes des Schritts</translation>
    </message>
    <message>
        <source>How it was obtained</source>
        <translation>Wie sie entstand</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>A layer that computes what the others compute</source>
        <translation>Eine Schicht, die rechnet, was die anderen rechnen</translation>
    </message>
    <message>
        <source>Of its arithmetic</source>
        <translation>Ihrer Arithmetik</translation>
    </message>
    <message>
        <source>Ops of the layer, views left out</source>
        <translation>Ops der Schicht, ohne Sichten</translation>
    </message>
    <message>
        <source>Results of its ops that own bytes: each is an allocation in eager mode, a place in the plan else</source>
        <translation>Ergebnisse ihrer Ops, die eigene Bytes haben: jedes ist im Eager-Modus eine Belegung, sonst ein Platz im Plan</translation>
    </message>
    <message>
        <source>Their bytes</source>
        <translation>Deren Bytes</translation>
    </message>
    <message>
        <source>Bytes of these tensors</source>
        <translation>Bytes dieser Tensoren</translation>
    </message>
    <message>
        <source>Distance</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>Norm of the difference to the first version&apos;s result / norm of that, of the kept values</source>
        <translation>Norm des Unterschieds zum Ergebnis der ersten Version / dessen Norm, der behaltenen Werte</translation>
    </message>
    <message>
        <source>Largest error</source>
        <translation>Größter Fehler</translation>
    </message>
    <message>
        <source>Largest difference / largest magnitude of the first version&apos;s result, of the kept values</source>
        <translation>Größter Unterschied / größter Betrag im Ergebnis der ersten Version, der behaltenen Werte</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <source>Whose code computes it, with its version</source>
        <translation>Wessen Code sie rechnet, mit seiner Version</translation>
    </message>
    <message>
        <source>The op, or the layer whose ops were regrouped</source>
        <translation>Die Op, oder die Schicht, deren Ops neu gruppiert wurden</translation>
    </message>
    <message>
        <source>What it computes</source>
        <translation>Was sie rechnet</translation>
    </message>
    <message>
        <source>Match</source>
        <translation>Paarung</translation>
    </message>
    <message>
        <source>matched: one op on both sides. regrouped: a layer&apos;s work in other ops (fused or split). all shapes: one trace does not distinguish them. only before, only after</source>
        <translation>matched: eine Op auf beiden Seiten. regrouped: die Arbeit einer Schicht in anderen Ops (verschmolzen oder geteilt). all shapes: eine Spur unterscheidet sie nicht. only before, only after</translation>
    </message>
    <message>
        <source>SAME, FASTER, SLOWER or UNSURE, by the test below; different work: the sides may not do the same</source>
        <translation>SAME, FASTER, SLOWER oder UNSURE, nach dem Test unten; different work: die Seiten tun vielleicht nicht dasselbe</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Faktor</translation>
    </message>
    <message>
        <source>After / before</source>
        <translation>Nachher / vorher</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Unten</translation>
    </message>
    <message>
        <source>Lower end of the 95 % interval of the ratio</source>
        <translation>Unteres Ende des 95-%-Intervalls des Faktors</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Oben</translation>
    </message>
    <message>
        <source>Upper end of that interval</source>
        <translation>Oberes Ende dieses Intervalls</translation>
    </message>
    <message>
        <source>p</source>
        <translation>p</translation>
    </message>
    <message>
        <source>Chance of a change as large where there is none</source>
        <translation>Wahrscheinlichkeit einer so großen Änderung, wo es keine gibt</translation>
    </message>
    <message>
        <source>Before (Q1)</source>
        <translation>Vorher (Q1)</translation>
    </message>
    <message>
        <source>After (Q1)</source>
        <translation>Nachher (Q1)</translation>
    </message>
    <message>
        <source>The same, after</source>
        <translation>Dasselbe, nachher</translation>
    </message>
    <message>
        <source>Adds</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>After - before</source>
        <translation>Nachher - vorher</translation>
    </message>
    <message>
        <source>Part of the step, mean of both sides</source>
        <translation>Teil des Schritts, Mittel beider Seiten</translation>
    </message>
    <message>
        <source>Compulsory before</source>
        <translation>Zwingend vorher</translation>
    </message>
    <message>
        <source>Bytes of all operands once</source>
        <translation>Bytes aller Operanden einmal</translation>
    </message>
    <message>
        <source>Compulsory after</source>
        <translation>Zwingend nachher</translation>
    </message>
    <message>
        <source>Limited before</source>
        <translation>Grenze vorher</translation>
    </message>
    <message>
        <source>What limited it, by the verdicts</source>
        <translation>Was sie begrenzte, nach den Urteilen</translation>
    </message>
    <message>
        <source>Limited after</source>
        <translation>Grenze nachher</translation>
    </message>
    <message>
        <source>What limits it now</source>
        <translation>Was sie jetzt begrenzt</translation>
    </message>
    <message>
        <source>Differs</source>
        <translation>Anders</translation>
    </message>
    <message>
        <source>Shape, kernel or name, where they differ</source>
        <translation>Form, Kernel oder Name, wo sie abweichen</translation>
    </message>
    <message>
        <source>Where bytes come from, the farthest first</source>
        <translation>Woher Bytes kommen, das Fernste zuerst</translation>
    </message>
    <message>
        <source>The part, or the way it is read</source>
        <translation>Das Teil, oder die Art, wie es gelesen wird</translation>
    </message>
    <message>
        <source>How the rate is known</source>
        <translation>Woher die Rate bekannt ist</translation>
    </message>
    <message>
        <source>How</source>
        <translation>Wie</translation>
    </message>
    <message>
        <source>What the rate is made of</source>
        <translation>Woraus die Rate gemacht ist</translation>
    </message>
    <message>
        <source>What is held beside each other</source>
        <translation>Was nebeneinandergestellt wird</translation>
    </message>
    <message>
        <source>On the modelled device: launch, and the longest of arithmetic, memory and L2</source>
        <translation>Auf dem modellierten Gerät: Start, und das Längste von Arithmetik, Speicher und L2</translation>
    </message>
    <message>
        <source>Of the ops that are modelled</source>
        <translation>Von den modellierten Ops</translation>
    </message>
    <message>
        <source>±</source>
        <translation>±</translation>
    </message>
    <message>
        <source>Mean error of such ops&apos; modelled times against measured ones</source>
        <translation>Mittlerer Fehler der modellierten Zeiten solcher Ops gegenüber gemessenen</translation>
    </message>
    <message>
        <source>What takes longest: arithmetic, DRAM, L2 or the launch</source>
        <translation>Was am längsten dauert: Arithmetik, DRAM, L2 oder der Start</translation>
    </message>
    <message>
        <source>DRAM</source>
        <translation>DRAM</translation>
    </message>
    <message>
        <source>To and from the device&apos;s memory</source>
        <translation>Vom und zum Speicher des Geräts</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>Between L2 and the multiprocessors</source>
        <translation>Zwischen L2 und den Multiprozessoren</translation>
    </message>
    <message>
        <source>Exact FLOPs / modelled time</source>
        <translation>Exakte FLOPs / modellierte Zeit</translation>
    </message>
    <message>
        <source>Type of op</source>
        <translation>Typ der Op</translation>
    </message>
    <message>
        <source>Of this type in a step</source>
        <translation>Von diesem Typ in einem Schritt</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>Of them not modelled</source>
        <translation>Davon nicht modelliert</translation>
    </message>
    <message>
        <source>Kernels assumed; of an op that is not modelled, why not</source>
        <translation>Angenommene Kernel; bei einer nicht modellierten Op, warum nicht</translation>
    </message>
    <message>
        <source>Key of the modelled device, for --on</source>
        <translation>Schlüssel des modellierten Geräts, für --on</translation>
    </message>
    <message>
        <source>As its vendor calls it</source>
        <translation>Wie sein Hersteller es nennt</translation>
    </message>
    <message>
        <source>Sum of all ops, without what a framework adds between kernels; unknown where an op is not modelled</source>
        <translation>Summe aller Ops, ohne was ein Framework zwischen Kerneln hinzufügt; unbekannt, wo eine Op nicht modelliert ist</translation>
    </message>
    <message>
        <source>Modelled</source>
        <translation>Modelliert</translation>
    </message>
    <message>
        <source>Sum of the ops that are modelled</source>
        <translation>Summe der modellierten Ops</translation>
    </message>
    <message>
        <source>Mean error of modelled times of such ops against measured ones, weighted by time</source>
        <translation>Mittlerer Fehler modellierter Zeiten solcher Ops gegenüber gemessenen, nach Zeit gewichtet</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>Beispiele/s</translation>
    </message>
    <message>
        <source>Batch / step</source>
        <translation>Batch / Schritt</translation>
    </message>
    <message>
        <source>Of most of the time</source>
        <translation>Der meisten Zeit</translation>
    </message>
    <message>
        <source>of step</source>
        <translation>vom Schritt</translation>
    </message>
    <message>
        <source>Part of the step this limits</source>
        <translation>Teil des Schritts, den dies begrenzt</translation>
    </message>
    <message>
        <source>f32, data sheet, at the boost clock</source>
        <translation>f32, Datenblatt, beim Boost-Takt</translation>
    </message>
    <message>
        <source>Data sheet</source>
        <translation>Datenblatt</translation>
    </message>
    <message>
        <source>Ops of the step that are not modelled</source>
        <translation>Ops des Schritts, die nicht modelliert sind</translation>
    </message>
    <message>
        <source>Checked</source>
        <translation>Geprüft</translation>
    </message>
    <message>
        <source>Whether modelled times were compared with measured ones of this device</source>
        <translation>Ob modellierte Zeiten mit gemessenen dieses Geräts verglichen wurden</translation>
    </message>
    <message>
        <source>gpu, tpu or edge</source>
        <translation>gpu, tpu oder edge</translation>
    </message>
    <message>
        <source>Step, at least</source>
        <translation>Schritt, mind.</translation>
    </message>
    <message>
        <source>Each op at the peak or at the bandwidth, whichever takes longer. Unknown where no peak is specified</source>
        <translation>Jede Op an der Spitze oder an der Bandbreite, was länger dauert. Unbekannt, wo keine Spitze angegeben ist</translation>
    </message>
    <message>
        <source>What takes longer in most of the step</source>
        <translation>Was im größten Teil des Schritts am längsten dauert</translation>
    </message>
    <message>
        <source>Part of the step that this limits</source>
        <translation>Teil des Schritts, den dies begrenzt</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Whether the planned bytes are at most those of the memory</source>
        <translation>Ob die geplanten Bytes höchstens die des Speichers sind</translation>
    </message>
    <message>
        <source>Needs</source>
        <translation>Braucht</translation>
    </message>
    <message>
        <source>Planned: tensors of all steps, and the arena</source>
        <translation>Geplant: Tensoren aller Schritte, und die Arena</translation>
    </message>
    <message>
        <source>Data sheet: GiB, which vendors write as GB</source>
        <translation>Datenblatt: GiB, von Herstellern als GB geschrieben</translation>
    </message>
    <message>
        <source>Peak of</source>
        <translation>Spitze in</translation>
    </message>
    <message>
        <source>Number format of the peak. TPUs round f32 to bf16. &quot;operations&quot;: integers, or not published</source>
        <translation>Zahlenformat der Spitze. TPUs runden f32 auf bf16. „operations“: ganze Zahlen, oder nicht veröffentlicht</translation>
    </message>
    <message>
        <source>Data sheet, dense</source>
        <translation>Datenblatt, dicht besetzt</translation>
    </message>
    <message>
        <source>Ridge</source>
        <translation>Grat</translation>
    </message>
    <message>
        <source>Peak / bandwidth</source>
        <translation>Spitze / Bandbreite</translation>
    </message>
    <message>
        <source>SMs</source>
        <translation>SMs</translation>
    </message>
    <message>
        <source>Multiprocessors</source>
        <translation>Multiprozessoren</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>Einheiten</translation>
    </message>
    <message>
        <source>f32 arithmetic units of all multiprocessors, which vendors call cores</source>
        <translation>Recheneinheiten für f32 aller Multiprozessoren, von Herstellern Kerne genannt</translation>
    </message>
    <message>
        <source>GHz</source>
        <translation>GHz</translation>
    </message>
    <message>
        <source>Boost clock [GHz]</source>
        <translation>Boost-Takt [GHz]</translation>
    </message>
    <message>
        <source>Worked out</source>
        <translation>Errechnet</translation>
    </message>
    <message>
        <source>Units x clock x 2, to hold against the f32 peak</source>
        <translation>Einheiten x Takt x 2, zum Vergleich mit der f32-Spitze</translation>
    </message>
    <message>
        <source>Chips of a pod</source>
        <translation>Chips eines Pods</translation>
    </message>
    <message>
        <source>Peak of a pod</source>
        <translation>Spitze eines Pods</translation>
    </message>
    <message>
        <source>Chips x peak. Communication takes a part of it</source>
        <translation>Chips x Spitze. Kommunikation nimmt einen Teil davon</translation>
    </message>
    <message>
        <source>m</source>
        <translation>m</translation>
    </message>
    <message>
        <source>Rows of the input: windows of a convolution</source>
        <translation>Zeilen der Eingabe: Fenster einer Faltung</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>Columns of the weights: filters</source>
        <translation>Spalten der Gewichte: Filter</translation>
    </message>
    <message>
        <source>k</source>
        <translation>k</translation>
    </message>
    <message>
        <source>Length of each sum</source>
        <translation>Länge jeder Summe</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Mal</translation>
    </message>
    <message>
        <source>Such products one after the other: groups, or a batch of matrices</source>
        <translation>Solche Produkte nacheinander: Gruppen, oder ein Batch von Matrizen</translation>
    </message>
    <message>
        <source>Cycles</source>
        <translation>Takte</translation>
    </message>
    <message>
        <source>Memories never late; folds not overlapped</source>
        <translation>Speicher nie zu spät; Folds überlappen nicht</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Benutzt</translation>
    </message>
    <message>
        <source>Multiply-adds / what the array could do in these cycles</source>
        <translation>Multiply-Adds / was das Array in diesen Takten könnte</translation>
    </message>
    <message>
        <source>Mapped</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Processing elements with work, mean over the folds</source>
        <translation>Rechenelemente mit Arbeit, Mittel über die Folds</translation>
    </message>
    <message>
        <source>Words read from on-chip memory</source>
        <translation>Wörter, aus dem Speicher auf dem Chip gelesen</translation>
    </message>
    <message>
        <source>Output writes</source>
        <translation>Schreibzugriffe</translation>
    </message>
    <message>
        <source>Words written to on-chip memory, partial sums too</source>
        <translation>Wörter, in den Speicher auf dem Chip geschrieben, auch Teilsummen</translation>
    </message>
    <message>
        <source>Nearest to the arithmetic first</source>
        <translation>Das Nächste an der Arithmetik zuerst</translation>
    </message>
    <message>
        <source>Claimed size</source>
        <translation>Behauptete Größe</translation>
    </message>
    <message>
        <source>As the system claims, for one instance</source>
        <translation>Wie das System behauptet, für eine Instanz</translation>
    </message>
    <message>
        <source>Useful size</source>
        <translation>Wirksame Größe</translation>
    </message>
    <message>
        <source>Size at which bandwidth falls to the next level&apos;s; DRAM: all memory</source>
        <translation>Größe, bei der die Bandbreite auf die der nächsten Ebene fällt; DRAM: aller Speicher</translation>
    </message>
    <message>
        <source>Useful size is</source>
        <translation>Wirks. Größe ist</translation>
    </message>
    <message>
        <source>measured: seen by the probe; specified: it saw no other edge than the claimed one</source>
        <translation>gemessen: von der Messung gesehen; angegeben: sie sah keinen anderen Rand als den behaupteten</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>All threads of the run together</source>
        <translation>Alle Threads des Laufs zusammen</translation>
    </message>
    <message>
        <source>Bytes read and bytes written</source>
        <translation>Gelesene und geschriebene Bytes</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Of dependent loads</source>
        <translation>Abhängiger Ladebefehle</translation>
    </message>
    <message>
        <source>Threshold of a verdict</source>
        <translation>Schwelle eines Urteils</translation>
    </message>
    <message>
        <source>In the tables</source>
        <translation>In den Tabellen</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>Was es ist</translation>
    </message>
    <message>
        <source>Every axis but the seed</source>
        <translation>Jede Achse außer dem Seed</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>Seeds</translation>
    </message>
    <message>
        <source>Trainings that differ in the seed alone</source>
        <translation>Trainings, die sich nur im Seed unterscheiden</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Steps of training, warm-up included: the most that all points have</source>
        <translation>Schritte des Trainings, mit Anlauf: die meisten, die alle Punkte haben</translation>
    </message>
    <message>
        <source>Median over the seeds after these steps</source>
        <translation>Median über die Seeds nach diesen Schritten</translation>
    </message>
    <message>
        <source>Smallest of them</source>
        <translation>Kleinster davon</translation>
    </message>
    <message>
        <source>Largest of them</source>
        <translation>Größter davon</translation>
    </message>
    <message>
        <source>Learns</source>
        <translation>Lernt</translation>
    </message>
    <message>
        <source>no: the loss fell by under 1 % since the first step</source>
        <translation>no: der Verlust fiel seit dem ersten Schritt um unter 1 %</translation>
    </message>
    <message>
        <source>Median over the seeds of each one&apos;s step</source>
        <translation>Median über die Seeds des Schritts eines jeden</translation>
    </message>
    <message>
        <source>Each operand&apos;s bytes once per op, per step; copies in another number format included</source>
        <translation>Bytes jedes Operanden einmal je Op, je Schritt; Kopien in anderem Zahlenformat eingeschlossen</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Of these, bytes of parameters</source>
        <translation>Davon Bytes der Parameter</translation>
    </message>
    <message>
        <source>As planned</source>
        <translation>Wie geplant</translation>
    </message>
    <message>
        <source>Steps that trained so far, warm-up included</source>
        <translation>Schritte, die bisher trainierten, mit Anlauf</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>Processes that ran as many steps</source>
        <translation>Prozesse, die ebenso viele Schritte liefen</translation>
    </message>
    <message>
        <source>Median over the processes; computed by the run in its dtype</source>
        <translation>Median über die Prozesse; vom Lauf in seinem Datentyp berechnet</translation>
    </message>
    <message>
        <source>Of a processor</source>
        <translation>Eines Prozessors</translation>
    </message>
    <message>
        <source>Published time of one training step; of Tensortide: measured here, on another machine</source>
        <translation>Veröffentlichte Zeit eines Trainingsschritts; bei Tensortide: hier gemessen, auf einer anderen Maschine</translation>
    </message>
    <message>
        <source>Minibatch</source>
        <translation>Minibatch</translation>
    </message>
    <message>
        <source>Samples of a step</source>
        <translation>Beispiele eines Schritts</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>Effizienz</translation>
    </message>
    <message>
        <source>Speed-up / threads</source>
        <translation>Beschleunigung / Threads</translation>
    </message>
    <message>
        <source>Of the network of the row: matrix multiplications and convolutions of one training step</source>
        <translation>Des Netzes der Zeile: Matrixmultiplikationen und Faltungen eines Trainingsschritts</translation>
    </message>
    <message>
        <source>Implied</source>
        <translation>Gefolgert</translation>
    </message>
    <message>
        <source>FLOPs / published time</source>
        <translation>FLOPs / veröffentlichte Zeit</translation>
    </message>
    <message>
        <source>Cores in use x FLOP per cycle x highest clock; of a GPU: its data sheet</source>
        <translation>Benutzte Kerne x FLOP je Takt x höchster Takt; bei einer GPU: ihr Datenblatt</translation>
    </message>
    <message>
        <source>Implied / peak; above 100 %: impossible</source>
        <translation>Gefolgert / Spitze; über 100 %: unmöglich</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>Skript</translation>
    </message>
    <message>
        <source>FLOPs of what the tool&apos;s script computes, where it differs and is known</source>
        <translation>FLOPs dessen, was das Skript des Werkzeugs rechnet, wo es abweicht und bekannt ist</translation>
    </message>
    <message>
        <source>Among good cells; –: not ranked</source>
        <translation>Unter guten Zellen; –: nicht gereiht</translation>
    </message>
    <message>
        <source>To fastest</source>
        <translation>Zum Schnellsten</translation>
    </message>
    <message>
        <source>Time / that of the fastest good cell</source>
        <translation>Zeit / die der schnellsten guten Zelle</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>FLOPs of the network that the row names</source>
        <translation>FLOPs des Netzes, das die Zeile nennt</translation>
    </message>
    <message>
        <source>FLOPs of what the tool&apos;s script computes</source>
        <translation>FLOPs dessen, was das Skript des Werkzeugs rechnet</translation>
    </message>
    <message>
        <source>Script / row</source>
        <translation>Skript / Zeile</translation>
    </message>
    <message>
        <source>Of both</source>
        <translation>Von beiden</translation>
    </message>
    <message>
        <source>Samples of a step; LSTM: sequences</source>
        <translation>Beispiele eines Schritts; LSTM: Sequenzen</translation>
    </message>
    <message>
        <source>Of our workload</source>
        <translation>Unseres Workloads</translation>
    </message>
    <message>
        <source>Matrix multiplications and convolutions of one training step</source>
        <translation>Matrixmultiplikationen und Faltungen eines Trainingsschritts</translation>
    </message>
    <message>
        <source>Row of the table</source>
        <translation>Zeile der Tabelle</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <source>Which program ran it; Tensortide: measured here</source>
        <translation>Welches Programm es ausführte; Tensortide: hier gemessen</translation>
    </message>
    <message>
        <source>Processor or GPU</source>
        <translation>Prozessor oder GPU</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>Qualität</translation>
    </message>
    <message>
        <source>good; uncertain: digits may be wrong; not like for like; impossible: above the peak; dash; lost by the text recognition</source>
        <translation>gut; unsicher: Ziffern können falsch sein; nicht vergleichbar; unmöglich: über der Spitze; Strich; bei der Texterkennung verloren</translation>
    </message>
    <message>
        <source>Why a cell is in no statistic, or is empty</source>
        <translation>Warum eine Zelle in keiner Statistik steht oder leer ist</translation>
    </message>
    <message>
        <source>Repaired</source>
        <translation>Repariert</translation>
    </message>
    <message>
        <source>Whether a decimal point or a digit was put back</source>
        <translation>Ob ein Dezimalpunkt oder eine Ziffer wieder eingesetzt wurde</translation>
    </message>
    <message>
        <source>Read as</source>
        <translation>Gelesen als</translation>
    </message>
    <message>
        <source>What the text recognition had, where it differs</source>
        <translation>Was die Texterkennung hatte, wo es abweicht</translation>
    </message>
    <message>
        <source>Zone</source>
        <translation>Zone</translation>
    </message>
    <message>
        <source>cores, or hyper-threads: more threads than cores</source>
        <translation>cores, oder hyper-threads: mehr Threads als Kerne</translation>
    </message>
    <message>
        <source>Other work, no training step, or input inside the time</source>
        <translation>Andere Arbeit, kein Trainingsschritt, oder Eingabe innerhalb der Zeit</translation>
    </message>
    <message>
        <source>What the script does</source>
        <translation>Was das Skript tut</translation>
    </message>
    <message>
        <source>Read in the authors&apos; scripts</source>
        <translation>In den Skripten der Autoren gelesen</translation>
    </message>
    <message>
        <source>Its layers and data</source>
        <translation>Seine Schichten und Daten</translation>
    </message>
    <message>
        <source>tensortide run WORKLOAD</source>
        <translation>tensortide run WORKLOAD</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Voreinst.</translation>
    </message>
    <message>
        <source>--preset PRESET</source>
        <translation>--preset PRESET</translation>
    </message>
    <message>
        <source>Point</source>
        <translation>Punkt</translation>
    </message>
    <message>
        <source>Settings of the point</source>
        <translation>Einstellungen des Punkts</translation>
    </message>
    <message>
        <source>Its name in Table 7 of Shi et al. 2016 (arXiv 1608.07249 v7)</source>
        <translation>Sein Name in Tabelle 7 von Shi et al. 2016 (arXiv 1608.07249 v7)</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Step on this machine: median over processes</source>
        <translation>Schritt auf dieser Maschine: Median über Prozesse</translation>
    </message>
    <message>
        <source>Published for</source>
        <translation>Veröffentlicht für</translation>
    </message>
    <message>
        <source>Machine and threads of the published cells</source>
        <translation>Maschine und Threads der veröffentlichten Zellen</translation>
    </message>
    <message>
        <source>Fastest</source>
        <translation>Schnellstes</translation>
    </message>
    <message>
        <source>Fastest tool, good cells alone</source>
        <translation>Schnellstes Werkzeug, nur gute Zellen</translation>
    </message>
    <message>
        <source>Which tool that was</source>
        <translation>Welches Werkzeug das war</translation>
    </message>
    <message>
        <source>Slowest</source>
        <translation>Langsamstes</translation>
    </message>
    <message>
        <source>Slowest tool, good cells alone</source>
        <translation>Langsamstes Werkzeug, nur gute Zellen</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Good cells</source>
        <translation>Gute Zellen</translation>
    </message>
    <message>
        <source>Here / fastest</source>
        <translation>Hier / schnellstes</translation>
    </message>
    <message>
        <source>Below 1: faster here. Different machines of different years: a landmark, not a race</source>
        <translation>Unter 1: hier schneller. Verschiedene Maschinen verschiedener Jahre: ein Anhaltspunkt, kein Wettlauf</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>Ausgelassen</translation>
    </message>
    <message>
        <source>Cells with doubtful digits, of rows that are not like for like, or that no such machine can reach</source>
        <translation>Zellen mit zweifelhaften Ziffern, aus Zeilen, die nicht vergleichbar sind, oder die keine solche Maschine erreichen kann</translation>
    </message>
    <message>
        <source>Gaps</source>
        <translation>Lücken</translation>
    </message>
    <message>
        <source>Cells without a time, with the reason where it is known</source>
        <translation>Zellen ohne Zeit, mit dem Grund, wo er bekannt ist</translation>
    </message>
    <message>
        <source>Same threads</source>
        <translation>Gleiche Threads</translation>
    </message>
    <message>
        <source>Whether the point ran with as many threads</source>
        <translation>Ob der Punkt mit ebenso vielen Threads lief</translation>
    </message>
    <message>
        <source>measured, out of memory, failed, or pending</source>
        <translation>gemessen, Speicher reicht nicht, fehlgeschlagen oder ausstehend</translation>
    </message>
    <message>
        <source>Fresh processes that ran this point, in turn with the other points</source>
        <translation>Neue Prozesse, die diesen Punkt ausführten, abwechselnd mit den anderen Punkten</translation>
    </message>
    <message>
        <source>Median over the processes of each one&apos;s median step</source>
        <translation>Median über die Prozesse vom Median des Schritts eines jeden</translation>
    </message>
    <message>
        <source>Lower end of the 95 % interval of the median (fewer than 6 processes: the fastest)</source>
        <translation>Unteres Ende des 95-%-Intervalls des Medians (unter 6 Prozessen: der schnellste)</translation>
    </message>
    <message>
        <source>Upper end of that interval (fewer than 6: the slowest)</source>
        <translation>Oberes Ende dieses Intervalls (unter 6: der langsamste)</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>Standard error of the mean over processes / mean</source>
        <translation>Standardfehler des Mittels über Prozesse / Mittel</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Share of the processors that other programs used, median over the processes</source>
        <translation>Anteil der Prozessoren, den andere Programme brauchten, Median über die Prozesse</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Wartend</translation>
    </message>
    <message>
        <source>Part of a step for which a thread waited for a processor (kernel&apos;s account, longest thread), median over processes</source>
        <translation>Teil eines Schritts, in dem ein Thread auf einen Prozessor wartete (Zählung des Betriebssystems, längster Thread), Median über Prozesse</translation>
    </message>
    <message>
        <source>Unsteady clock</source>
        <translation>Unsteter Takt</translation>
    </message>
    <message>
        <source>Processes that were throttled, or with a clock rate that changed or differed by over 5 %; left out where enough others ran</source>
        <translation>Prozesse, die gedrosselt wurden, oder deren Takt sich änderte oder um über 5 % abwich; ausgelassen, wo genug andere liefen</translation>
    </message>
    <message>
        <source>Median over the processes of the loss after the last count of steps that all points have</source>
        <translation>Median über die Prozesse des Verlusts nach der letzten Zahl von Schritten, die alle Punkte haben</translation>
    </message>
    <message>
        <source>Step / batch (of latency_ladder: / accesses); unknown where the workload has no batch</source>
        <translation>Schritt / Batch (bei latency_ladder: / Zugriffe); unbekannt, wo der Workload keinen Batch hat</translation>
    </message>
    <message>
        <source>Batch / step; unknown where the workload has no batch</source>
        <translation>Batch / Schritt; unbekannt, wo der Workload keinen Batch hat</translation>
    </message>
    <message>
        <source>Time of each</source>
        <translation>Zeit je Operation</translation>
    </message>
    <message>
        <source>Step / operations of which each needs the one before: the latency where few chains run at once</source>
        <translation>Schritt / Operationen, von denen jede die vorige braucht: die Latenz, wo wenige Ketten zugleich laufen</translation>
    </message>
    <message>
        <source>Operations/s</source>
        <translation>Operationen/s</translation>
    </message>
    <message>
        <source>Operations of all chains / step: the throughput</source>
        <translation>Operationen aller Ketten / Schritt: der Durchsatz</translation>
    </message>
    <message>
        <source>FLOPs (exact) / step (measured)</source>
        <translation>FLOPs (exakt) / Schritt (gemessen)</translation>
    </message>
    <message>
        <source>Per step, counted from shapes</source>
        <translation>Je Schritt, aus Formen gezählt</translation>
    </message>
    <message>
        <source>Ops of a step that run a kernel: its launches; views are none</source>
        <translation>Ops eines Schritts, die einen Kernel ausführen: seine Starts; Sichten sind keine</translation>
    </message>
    <message>
        <source>Compulsory/s</source>
        <translation>Zwingend/s</translation>
    </message>
    <message>
        <source>Compulsory bytes (exact) / step (measured): each operand&apos;s bytes once per op</source>
        <translation>Zwingende Bytes (exakt) / Schritt (gemessen): Bytes jedes Operanden einmal je Op</translation>
    </message>
    <message>
        <source>Each operand&apos;s bytes once per op, per step</source>
        <translation>Bytes jedes Operanden einmal je Op, je Schritt</translation>
    </message>
    <message>
        <source>Compulsory/sample</source>
        <translation>Zwingend/Beispiel</translation>
    </message>
    <message>
        <source>Each operand&apos;s bytes once per op, per sample</source>
        <translation>Bytes jedes Operanden einmal je Op, je Beispiel</translation>
    </message>
    <message>
        <source>Weights/sample</source>
        <translation>Gewichte/Beispiel</translation>
    </message>
    <message>
        <source>Compulsory bytes of parameters, per sample: falls as 1 / batch</source>
        <translation>Zwingende Bytes der Parameter, je Beispiel: fällt wie 1 / Batch</translation>
    </message>
    <message>
        <source>Step with one thread / step, all else the same</source>
        <translation>Schritt mit einem Thread / Schritt, alles andere gleich</translation>
    </message>
    <message>
        <source>Of the processor packages per step, other programs&apos; part included; unknown where the machine has no counter</source>
        <translation>Der Prozessor-Packages je Schritt, den Teil anderer Programme eingeschlossen; unbekannt, wo die Maschine keinen Zähler hat</translation>
    </message>
    <message>
        <source>Energy/sample</source>
        <translation>Energie/Beispiel</translation>
    </message>
    <message>
        <source>Energy of a step / batch</source>
        <translation>Energie eines Schritts / Batch</translation>
    </message>
    <message>
        <source>Before the run: the sum over the ops of the nearest roof&apos;s time. A lower bound</source>
        <translation>Vor dem Lauf: die Summe über die Ops der Zeit des nächsten Dachs. Eine untere Grenze</translation>
    </message>
    <message>
        <source>Limited by</source>
        <translation>Begrenzt durch</translation>
    </message>
    <message>
        <source>What takes most of the step, by the verdicts of the last process</source>
        <translation>Was den größten Teil des Schritts braucht, nach den Urteilen des letzten Prozesses</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>The message of the run where there is no figure</source>
        <translation>Die Meldung des Laufs, wo es keine Zahl gibt</translation>
    </message>
    <message>
        <source>The settings of the other axes</source>
        <translation>Die Einstellungen der anderen Achsen</translation>
    </message>
    <message>
        <source>Along</source>
        <translation>Entlang</translation>
    </message>
    <message>
        <source>The numeric axis</source>
        <translation>Die numerische Achse</translation>
    </message>
    <message>
        <source>Knee</source>
        <translation>Knie</translation>
    </message>
    <message>
        <source>Where time per step turns from a plateau to growing with the axis: max(a, b x) fitted to the measured steps in ln t</source>
        <translation>Wo die Zeit je Schritt von einem Plateau zum Wachsen mit der Achse übergeht: max(a, b x), in ln t an die gemessenen Schritte angepasst</translation>
    </message>
    <message>
        <source>The same fit to the times the roofs predicted before the run</source>
        <translation>Dieselbe Anpassung an die Zeiten, die die Dächer vor dem Lauf vorhersagten</translation>
    </message>
    <message>
        <source>Found / predicted</source>
        <translation>Gefunden / vorherges.</translation>
    </message>
    <message>
        <source>Knee over predicted knee</source>
        <translation>Knie durch vorhergesagtes Knie</translation>
    </message>
    <message>
        <source>As one sample</source>
        <translation>Wie ein Beispiel</translation>
    </message>
    <message>
        <source>The largest batch up to which a step takes at most 1.1 times as long as one sample</source>
        <translation>Der größte Batch, bis zu dem ein Schritt höchstens 1.1-mal so lange dauert wie ein Beispiel</translation>
    </message>
    <message>
        <source>As one, predicted</source>
        <translation>Wie eins, vorherges.</translation>
    </message>
    <message>
        <source>The same of the times the roofs predicted before the run</source>
        <translation>Dasselbe der Zeiten, die die Dächer vor dem Lauf vorhersagten</translation>
    </message>
    <message>
        <source>Limited left</source>
        <translation>Grenze links</translation>
    </message>
    <message>
        <source>What binds at the first point</source>
        <translation>Was am ersten Punkt begrenzt</translation>
    </message>
    <message>
        <source>Limited right</source>
        <translation>Grenze rechts</translation>
    </message>
    <message>
        <source>What binds at the last point</source>
        <translation>Was am letzten Punkt begrenzt</translation>
    </message>
    <message>
        <source>Serial part</source>
        <translation>Serieller Teil</translation>
    </message>
    <message>
        <source>Amdahl&apos;s serial share, fitted over threads up to the cores</source>
        <translation>Amdahls serieller Anteil, angepasst über Threads bis zu den Kernen</translation>
    </message>
    <message>
        <source>Serial, low</source>
        <translation>Seriell, unten</translation>
    </message>
    <message>
        <source>Lower end of its 95 % interval; with two thread counts, of what their spread allows</source>
        <translation>Unteres Ende seines 95-%-Intervalls; bei zwei Threadzahlen, was ihre Streuung erlaubt</translation>
    </message>
    <message>
        <source>Serial, high</source>
        <translation>Seriell, oben</translation>
    </message>
    <message>
        <source>Upper end of it</source>
        <translation>Oberes Ende davon</translation>
    </message>
    <message>
        <source>Cache cliffs</source>
        <translation>Cache-Klippen</translation>
    </message>
    <message>
        <source>Where bytes over a link, per unit of work, jump by half or more</source>
        <translation>Wo Bytes über eine Verbindung, je Einheit der Arbeit, um die Hälfte oder mehr springen</translation>
    </message>
    <message>
        <source>Per</source>
        <translation>Je</translation>
    </message>
    <message>
        <source>The unit of work: a step where all do the same; a sample along a batch; else a compulsory byte (STREAM) or a FLOP</source>
        <translation>Die Einheit der Arbeit: ein Schritt, wo alle dasselbe tun; ein Beispiel entlang eines Batches; sonst ein zwingendes Byte (STREAM) oder ein FLOP</translation>
    </message>
    <message>
        <source>Noisy: the interval of the median over processes is wider than a factor of 1.25. Queued: over 20 % of a step threads waited for processors that other programs held</source>
        <translation>Rauschend: das Intervall des Medians über Prozesse ist breiter als ein Faktor 1.25. Wartend: über 20 % eines Schritts warteten Threads auf Prozessoren, die andere Programme hielten</translation>
    </message>
    <message>
        <source>At the peak</source>
        <translation>An der Spitze</translation>
    </message>
    <message>
        <source>A role of bytes, or one of the largest tensors</source>
        <translation>Eine Rolle von Bytes, oder einer der größten Tensoren</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>A library of this build, or a source of figures</source>
        <translation>Eine Bibliothek dieses Builds, oder eine Quelle von Zahlen</translation>
    </message>
    <message>
        <source>Works here</source>
        <translation>Geht hier</translation>
    </message>
    <message>
        <source>Whether a run on this machine can use it</source>
        <translation>Ob ein Lauf auf dieser Maschine es benutzen kann</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was sich fand</translation>
    </message>
    <message>
        <source>What a look at this machine showed</source>
        <translation>Was ein Blick auf diese Maschine zeigte</translation>
    </message>
    <message>
        <source>What helps</source>
        <translation>Was hilft</translation>
    </message>
    <message>
        <source>What makes it work; empty: nothing is to be done</source>
        <translation>Was es zum Gehen bringt; leer: nichts ist zu tun</translation>
    </message>
    <message>
        <source>How the number is stored</source>
        <translation>Wie die Zahl gespeichert ist</translation>
    </message>
    <message>
        <source>Stored value</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <source>What the bits mean, exactly, in decimal</source>
        <translation>Was die Bits bedeuten, exakt, dezimal</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Stored value - number, exactly</source>
        <translation>Gespeicherter Wert - Zahl, exakt</translation>
    </message>
    <message>
        <source>Bits</source>
        <translation>Bits</translation>
    </message>
    <message>
        <source>Sign | exponent | fraction; of integers, two&apos;s complement or unsigned</source>
        <translation>Vorzeichen | Exponent | Bruchteil; bei ganzen Zahlen Zweierkomplement oder vorzeichenlos</translation>
    </message>
    <message>
        <source>Zero, subnormal, normal, infinite, NaN or integer</source>
        <translation>Null, subnormal, normal, unendlich, NaN oder ganze Zahl</translation>
    </message>
    <message>
        <source>Spacing</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>From |value| to the next larger magnitude</source>
        <translation>Von |Wert| bis zum nächstgrößeren Betrag</translation>
    </message>
    <message>
        <source>Next below</source>
        <translation>Nächster unten</translation>
    </message>
    <message>
        <source>The next smaller value that the data type has</source>
        <translation>Der nächstkleinere Wert, den der Datentyp hat</translation>
    </message>
    <message>
        <source>Next above</source>
        <translation>Nächster oben</translation>
    </message>
    <message>
        <source>The next larger value that the data type has</source>
        <translation>Der nächstgrößere Wert, den der Datentyp hat</translation>
    </message>
    <message>
        <source>The largest finite value of the data type</source>
        <translation>Der größte endliche Wert des Datentyps</translation>
    </message>
    <message>
        <source>Cache level, nearest first</source>
        <translation>Cache-Ebene, die nächste zuerst</translation>
    </message>
    <message>
        <source>Whose bytes; all: the level&apos;s sum</source>
        <translation>Wessen Bytes; all: die Summe der Ebene</translation>
    </message>
    <message>
        <source>What the tensor is to the op</source>
        <translation>Was der Tensor für die Op ist</translation>
    </message>
    <message>
        <source>Look-ups</source>
        <translation>Zugriffe</translation>
    </message>
    <message>
        <source>Accesses to lines of the level</source>
        <translation>Zugriffe auf Zeilen der Ebene</translation>
    </message>
    <message>
        <source>Accesses that missed</source>
        <translation>Zugriffe, die verfehlten</translation>
    </message>
    <message>
        <source>misses / accesses of the level</source>
        <translation>Fehlzugriffe / Zugriffe der Ebene</translation>
    </message>
    <message>
        <source>First use of a line</source>
        <translation>Erste Benutzung einer Zeile</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>Kapazität</translation>
    </message>
    <message>
        <source>A fully associative LRU cache of this size would miss, too</source>
        <translation>Auch ein vollassoziativer LRU-Cache dieser Größe würde verfehlen</translation>
    </message>
    <message>
        <source>Conflict</source>
        <translation>Konflikt</translation>
    </message>
    <message>
        <source>The rest: lines that compete for the same set</source>
        <translation>Der Rest: Zeilen, die um denselben Satz konkurrieren</translation>
    </message>
    <message>
        <source>Fetched</source>
        <translation>Geholt</translation>
    </message>
    <message>
        <source>Lines had from the next level, for misses and prefetches, in bytes</source>
        <translation>Zeilen von der nächsten Ebene, für Fehlzugriffe und Prefetches, in Bytes</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Fetched as the hardware counted it</source>
        <translation>Geholt, wie die Hardware es zählte</translation>
    </message>
    <message>
        <source>Host threads or device</source>
        <translation>Threads des Hosts oder Gerät</translation>
    </message>
    <message>
        <source>Busy time is a union: what ran at once counts once</source>
        <translation>Beschäftigte Zeit ist eine Vereinigung: was zugleich lief, zählt einmal</translation>
    </message>
    <message>
        <source>Inside the range</source>
        <translation>Innerhalb des Bereichs</translation>
    </message>
    <message>
        <source>Time / length of the range</source>
        <translation>Zeit / Länge des Bereichs</translation>
    </message>
    <message>
        <source>Begun inside the range</source>
        <translation>Im Bereich begonnen</translation>
    </message>
    <message>
        <source>Of copies, in proportion to the part inside; unknown sizes are left out</source>
        <translation>Der Kopien, im Verhältnis zum Teil darin; unbekannte Größen sind ausgelassen</translation>
    </message>
    <message>
        <source>Bytes / sum of the copies&apos; times</source>
        <translation>Bytes / Summe der Zeiten der Kopien</translation>
    </message>
    <message>
        <source>Op, kernel, copy, call or range</source>
        <translation>Op, Kernel, Kopie, Aufruf oder Bereich</translation>
    </message>
    <message>
        <source>Own time</source>
        <translation>Eigenzeit</translation>
    </message>
    <message>
        <source>Sum inside the range without what ran inside them: a layer without its ops</source>
        <translation>Summe im Bereich ohne das, was in ihnen lief: eine Schicht ohne ihre Ops</translation>
    </message>
    <message>
        <source>Of range</source>
        <translation>Vom Bereich</translation>
    </message>
    <message>
        <source>Part of the range in which at least one of them ran, with what is in them</source>
        <translation>Teil des Bereichs, in dem mindestens eines davon lief, mit dem, was in ihnen ist</translation>
    </message>
    <message>
        <source>Sum inside the range with what ran inside them: what ran at once counts twice</source>
        <translation>Summe im Bereich mit dem, was in ihnen lief: was zugleich lief, zählt doppelt</translation>
    </message>
    <message>
        <source>That overlap the range</source>
        <translation>Die den Bereich überlappen</translation>
    </message>
    <message>
        <source>Layer that wrote it</source>
        <translation>Schicht, die sie schrieb</translation>
    </message>
    <message>
        <source>forward, backward or update</source>
        <translation>vorwärts, rückwärts oder Update</translation>
    </message>
    <message>
        <source>Which step of the run</source>
        <translation>Welcher Schritt des Laufs</translation>
    </message>
    <message>
        <source>Since the start of the capture</source>
        <translation>Seit dem Beginn der Aufzeichnung</translation>
    </message>
    <message>
        <source>How long it took on its track</source>
        <translation>Wie lange es auf seiner Spur dauerte</translation>
    </message>
    <message>
        <source>tried once, never decided</source>
        <translation>einmal versucht, nie entschieden</translation>
    </message>
    <message>
        <source>tried {} times, never decided</source>
        <translation>{}-mal versucht, nie entschieden</translation>
    </message>
    <message>
        <source>right in {} of 1 trial</source>
        <translation>richtig in {} von 1 Versuch</translation>
    </message>
    <message>
        <source>right in {} of {} trials</source>
        <translation>richtig in {} von {} Versuchen</translation>
    </message>
    <message>
        <source>{} of {}: at most {}, {} after the first event (measured by the traced program&apos;s allocator).</source>
        <translation>{} von {}: höchstens {}, {} nach dem ersten Ereignis (gemessen vom Allokator des aufgezeichneten Programms).</translation>
    </message>
    <message>
        <source>Nothing is loaded in a step of {}: its batch is in memory, copy takes {}.</source>
        <translation>In einem Schritt von {} wird nichts geladen: sein Batch ist im Speicher, copy braucht {}.</translation>
    </message>
    <message>
        <source>The lanes take turns: together they are the step of {}, most of it {} ({}). Side by side the slowest, {}, would set the pace: at best {} per batch.</source>
        <translation>Die Stufen wechseln sich ab: zusammen sind sie der Schritt von {}, das meiste davon {} ({}). Nebeneinander würde die langsamste, {}, das Tempo bestimmen: bestenfalls {} je Batch.</translation>
    </message>
    <message>
        <source>The step itself limits: copy and compute take {} of {} per batch. Data is ready before it is needed (waits of {}).</source>
        <translation>Der Schritt selbst begrenzt: copy und compute brauchen {} von {} je Batch. Daten sind da, bevor sie gebraucht werden (Warten: {}).</translation>
    </message>
    <message>
        <source>The lane {0} limits: it takes {1} per batch, and each step of {2} waits {3} for data; copy and compute take {4}.</source>
        <translation>Die Stufe {0} begrenzt: sie braucht {1} je Batch, und jeder Schritt von {2} wartet {3} auf Daten; copy und compute brauchen {4}.</translation>
    </message>
    <message>
        <source>the null device computes nothing and moves nothing</source>
        <translation>das Nullgerät rechnet nichts und bewegt nichts</translation>
    </message>
    <message>
        <source>the GPU was emulated, and its rates are not a GPU&apos;s</source>
        <translation>die GPU wurde emuliert, und ihre Raten sind nicht die einer GPU</translation>
    </message>
    <message>
        <source>Unknown: {}.</source>
        <translation>Unbekannt: {}.</translation>
    </message>
    <message>
        <source>{}at {} </source>
        <translation>{}bei {} </translation>
    </message>
    <message>
        <source>for {} of {} ops </source>
        <translation>für {} von {} Ops </translation>
    </message>
    <message>
        <source>for {} </source>
        <translation>für {} </translation>
    </message>
    <message>
        <source>{} and {}</source>
        <translation>{} und {}</translation>
    </message>
    <message>
        <source>most for </source>
        <translation>am meisten bei </translation>
    </message>
    <message>
        <source>the processor counted them</source>
        <translation>der Prozessor hat sie gezählt</translation>
    </message>
    <message>
        <source>they follow each access through the caches; the order of some accesses (loops of libraries, indices) is assumed</source>
        <translation>sie folgen jedem Zugriff durch die Caches; die Reihenfolge mancher Zugriffe (Schleifen von Bibliotheken, Indizes) ist angenommen</translation>
    </message>
    <message>
        <source>they follow each access through the caches; the model does not</source>
        <translation>sie folgen jedem Zugriff durch die Caches; das Modell tut das nicht</translation>
    </message>
    <message>
        <source>{} and modelled bytes are more than {:g}x apart {}. The {} ones count: {}.</source>
        <translation>{} und modelliert unterscheiden sich die Bytes um mehr als den Faktor {:g}: {}. Es gilt „{}“: {}.</translation>
    </message>
    <message>
        <source>the {} of {} that the {}</source>
        <translation>{} {}, {}</translation>
    </message>
    <message>
        <source>probe saw</source>
        <translation>von der Messung gesehen</translation>
    </message>
    <message>
        <source>system claims</source>
        <translation>vom System behauptet</translation>
    </message>
    <message>
        <source>{}: {} wait for one another, {} each. All chains do {} per second.</source>
        <translation>{}: {} warten aufeinander, {} je Operation. Alle Ketten schaffen {} je Sekunde.</translation>
    </message>
    <message>
        <source>loads</source>
        <translation>Ladebefehle</translation>
    </message>
    <message>
        <source>multiply-add</source>
        <translation>Multiply-Add</translation>
    </message>
    <message>
        <source>multiply-adds</source>
        <translation>Multiply-Adds</translation>
    </message>
    <message>
        <source>{}: the lanes of its kernel are unknown, so no factor is predicted.</source>
        <translation>{}: die Lanes des Kernels sind unbekannt, also wird kein Faktor vorhergesagt.</translation>
    </message>
    <message>
        <source>{}: its paths may change in each step, so no factor is predicted.</source>
        <translation>{}: die Pfade können sich in jedem Schritt ändern, also wird kein Faktor vorhergesagt.</translation>
    </message>
    <message>
        <source>{}: each element takes its path alone.</source>
        <translation>{}: jedes Element nimmt seinen Pfad allein.</translation>
    </message>
    <message>
        <source>{}: {:.0f} lanes in lockstep do {:.3g} times the work that is kept.</source>
        <translation>{}: {:.0f} Lanes im Gleichschritt tun das {:.3g}-Fache der Arbeit, die behalten wird.</translation>
    </message>
    <message>
        <source> Predicted {:.3g} times the time of the control, measured {:.3g}.</source>
        <translation> Vorhergesagt ist das {:.3g}-Fache der Zeit der Kontrolle, gemessen das {:.3g}-Fache.</translation>
    </message>
    <message>
        <source>{} % of the runs took no longer</source>
        <translation>{} % der Läufe dauerten nicht länger</translation>
    </message>
    <message>
        <source>Ops follow each other without a gap: the time of an op holds the start of the next one.</source>
        <translation>Ops folgen lückenlos aufeinander: die Zeit einer Op enthält den Start der nächsten.</translation>
    </message>
    <message>
        <source>It holds one look at the clock, too.</source>
        <translation>Sie enthält auch einen Blick auf die Uhr.</translation>
    </message>
    <message>
        <source>Activations kept for the backward pass fill {} of the memory.</source>
        <translation>Aktivierungen, die für den Rückwärtsdurchgang bleiben, füllen {} des Speichers.</translation>
    </message>
    <message>
        <source>Use checkpointing: keep the outputs of every few blocks and compute the rest again. It frees memory for a bigger batch and costs time.</source>
        <translation>Nimm Checkpoints: behalte die Ausgaben nur alle paar Blöcke und berechne den Rest noch einmal. Das macht Speicher für einen größeren Batch frei und kostet Zeit.</translation>
    </message>
    <message>
        <source>of activations kept</source>
        <translation>behaltene Aktivierungen</translation>
    </message>
    <message>
        <source>of memory planned in all: arena, what persists, workspace</source>
        <translation>geplanter Speicher insgesamt: Arena, Bleibendes, Zwischenspeicher</translation>
    </message>
    <message>
        <source>blocks to choose from</source>
        <translation>Blöcke zur Wahl</translation>
    </message>
    <message>
        <source>for the forward pass, which is computed once more</source>
        <translation>für den Vorwärtsdurchgang, der noch einmal gerechnet wird</translation>
    </message>
    <message>
        <source>of n blocks, about 2 sqrt(n) stay in memory; the forward pass runs twice</source>
        <translation>von n Blöcken bleiben etwa 2 sqrt(n) im Speicher; der Vorwärtsdurchgang läuft zweimal</translation>
    </message>
    <message>
        <source>{} of {} copies moved bytes that were there already, mostly {}.</source>
        <translation>{} von {} Kopien bewegten Bytes, die schon da waren, vor allem {}.</translation>
    </message>
    <message>
        <source>Keep it on the device.</source>
        <translation>Lass den Tensor auf dem Gerät.</translation>
    </message>
    <message>
        <source>redundant copies</source>
        <translation>überflüssige Kopien</translation>
    </message>
    <message>
        <source>moved redundantly</source>
        <translation>überflüssig bewegt</translation>
    </message>
    <message>
        <source>copies of which it is known</source>
        <translation>Kopien, von denen es bekannt ist</translation>
    </message>
    <message>
        <source>the copies&apos; own time in the measured steps, per device and step</source>
        <translation>die eigene Zeit der Kopien in den gemessenen Schritten, je Gerät und Schritt</translation>
    </message>
    <message>
        <source>No option of a run keeps a tensor on the device.</source>
        <translation>Keine Option eines Laufs hält einen Tensor auf dem Gerät.</translation>
    </message>
    <message>
        <source>{} are bound by arithmetic, and this machine&apos;s measured {} peak is {:.2g} times that of {}.</source>
        <translation>{} sind durch Arithmetik begrenzt, und die gemessene Spitze dieser Maschine in {} ist {:.2g}-mal so hoch wie die in {}.</translation>
    </message>
    <message>
        <source>Compute in {}.</source>
        <translation>Rechne in {}.</translation>
    </message>
    <message>
        <source>peak of the narrower format by that of the present one</source>
        <translation>Spitze des schmaleren Formats durch die des jetzigen</translation>
    </message>
    <message>
        <source>spent in these ops per step</source>
        <translation>in diesen Ops je Schritt</translation>
    </message>
    <message>
        <source>each op at the same share of the higher peak, down to its next limit</source>
        <translation>jede Op mit demselben Anteil an der höheren Spitze, bis zu ihrer nächsten Grenze</translation>
    </message>
    <message>
        <source>Choose row lengths that are no multiple of a large power of two, or pad the rows.</source>
        <translation>Wähle Zeilenlängen, die kein Vielfaches einer großen Zweierpotenz sind, oder fülle die Zeilen auf.</translation>
    </message>
    <message>
        <source>No option of this run pads rows: change the sizes of the workload.</source>
        <translation>Keine Option dieses Laufs füllt Zeilen auf: ändere die Größen des Workloads.</translation>
    </message>
    <message>
        <source>Leave {} elements, a line, unused behind each row: columns then spread over all sets.</source>
        <translation>Lass hinter jeder Zeile {} Elemente ungenutzt, eine Cache-Zeile: Spalten verteilen sich dann auf alle Sätze.</translation>
    </message>
    <message>
        <source>{} have conflict misses: {:.0f} % of the misses in {} would hit if it were fully associative.</source>
        <translation>{} haben Fehlzugriffe durch Konflikte: {:.0f} % der Fehlzugriffe in {} wären Treffer, wenn der Cache vollassoziativ wäre.</translation>
    </message>
    <message>
        <source>of the misses are conflicts</source>
        <translation>der Fehlzugriffe sind Konflikte</translation>
    </message>
    <message>
        <source>fetched again for conflicts</source>
        <translation>wegen Konflikten wieder geholt</translation>
    </message>
    <message>
        <source>conflicts&apos; share of its bytes (first accesses of the op alone) at the next level&apos;s bandwidth or latency, at most the time above the roofs</source>
        <translation>Anteil der Konflikte (aus den ersten Zugriffen der Op allein) an den Bytes der Ebene, bei Bandbreite oder Latenz der nächsten Ebene, höchstens die Zeit über den Dächern</translation>
    </message>
    <message>
        <source>{} walk columns {} apart: {:.0f} % of the lines of a column evict each other from the same sets of the {}.</source>
        <translation>{} gehen durch Spalten, deren Nachbarn {} auseinanderliegen: {:.0f} % der Cache-Zeilen einer Spalte verdrängen einander aus denselben Sätzen von {}.</translation>
    </message>
    <message>
        <source>between neighbours of a column</source>
        <translation>zwischen Nachbarn einer Spalte</translation>
    </message>
    <message>
        <source>of a column&apos;s lines do not fit their sets</source>
        <translation>der Cache-Zeilen einer Spalte passen nicht in ihre Sätze</translation>
    </message>
    <message>
        <source>fetched again</source>
        <translation>wieder geholt</translation>
    </message>
    <message>
        <source>the lines fetched again at the bandwidth of the next level, at most the time above the roofs</source>
        <translation>die wieder geholten Zeilen bei der Bandbreite der nächsten Ebene, höchstens die Zeit über den Dächern</translation>
    </message>
    <message>
        <source>{} {} {} too small for {}: starting and joining them takes {} of {}.</source>
        <translation>{} {} {} zu klein für {}: Starten und Zusammenführen kosten {} von {}.</translation>
    </message>
    <message>
        <source>is</source>
        <translation>ist</translation>
    </message>
    <message>
        <source>are</source>
        <translation>sind</translation>
    </message>
    <message>
        <source>to start and join the threads of an op</source>
        <translation>um die Threads einer Op zu starten und zusammenzuführen</translation>
    </message>
    <message>
        <source>such ops</source>
        <translation>solche Ops</translation>
    </message>
    <message>
        <source>Use one thread.</source>
        <translation>Nimm einen Thread.</translation>
    </message>
    <message>
        <source>each op without the start of its threads; the remaining work takes longer by the number of threads</source>
        <translation>jede Op ohne den Start ihrer Threads; die übrige Arbeit dauert so viel Mal länger, wie es Threads waren</translation>
    </message>
    <message>
        <source>Use a batch of {}: one start of the threads then serves {:.0f} times as much work.</source>
        <translation>Nimm einen Batch von {}: ein Start der Threads reicht dann für {:.0f}-mal so viel Arbeit.</translation>
    </message>
    <message>
        <source>per sample, the cost of starting threads falls with the batch; the rest stays</source>
        <translation>je Beispiel sinken die Kosten für den Start der Threads mit dem Batch; der Rest bleibt</translation>
    </message>
    <message>
        <source>Join these ops into fewer, larger ones.</source>
        <translation>Fasse diese Ops zu weniger, aber größeren zusammen.</translation>
    </message>
    <message>
        <source>all of the cost of starting threads, at most</source>
        <translation>höchstens alle Kosten für den Start der Threads</translation>
    </message>
    <message>
        <source>One thread would lose more in the large ops, and the run has no batch to enlarge.</source>
        <translation>Mit einem Thread verlören die großen Ops mehr, und der Lauf hat keinen Batch, der sich vergrößern ließe.</translation>
    </message>
    <message>
        <source>thread</source>
        <translation>Thread</translation>
    </message>
    <message>
        <source>Communication between GPUs takes {} of a step&apos;s {} while nothing computes.</source>
        <translation>Kommunikation zwischen GPUs braucht {} von {} eines Schritts, während nichts rechnet.</translation>
    </message>
    <message>
        <source>communication alone per step</source>
        <translation>Kommunikation allein je Schritt</translation>
    </message>
    <message>
        <source>communication per step</source>
        <translation>Kommunikation je Schritt</translation>
    </message>
    <message>
        <source>communication overlapped with kernels that run without any, at most</source>
        <translation>höchstens: Kommunikation überlappt mit Kerneln, neben denen keine läuft</translation>
    </message>
    <message>
        <source>Start it earlier, beside work that computes (smaller buckets of gradients, prefetched weights), or send fewer bytes (a smaller dtype, less frequent exchange).</source>
        <translation>Beginne sie früher, neben Arbeit, die rechnet (kleinere Pakete von Gradienten, im Voraus geholte Gewichte), oder sende weniger Bytes (ein schmalerer Datentyp, seltenerer Austausch).</translation>
    </message>
    <message>
        <source>This run has no setting for how ranks exchange data.</source>
        <translation>Dieser Lauf hat keine Einstellung dafür, wie Ränge Daten austauschen.</translation>
    </message>
    <message>
        <source> and other ops</source>
        <translation> und andere Ops</translation>
    </message>
    <message>
        <source> ops</source>
        <translation> Ops</translation>
    </message>
    <message>
        <source> and {} more</source>
        <translation> und {} weitere</translation>
    </message>
    <message>
        <source>frees {} of memory</source>
        <translation>macht {} Speicher frei</translation>
    </message>
    <message>
        <source>{} and costs {} per step</source>
        <translation>{} und kostet {} je Schritt</translation>
    </message>
    <message>
        <source>gain unknown</source>
        <translation>Gewinn unbekannt</translation>
    </message>
    <message>
        <source>saves {} per step, {} of it</source>
        <translation>spart {} je Schritt, {} davon</translation>
    </message>
    <message>
        <source>This run was imported from a trace and cannot be repeated here.</source>
        <translation>Dieser Lauf wurde aus einer Spur importiert und lässt sich hier nicht wiederholen.</translation>
    </message>
    <message>
        <source>; no more than the step exceeds the lane {}, which sets the pace</source>
        <translation>; nicht mehr, als der Schritt länger dauert als die Stufe {}, die das Tempo bestimmt</translation>
    </message>
    <message>
        <source>The GPU was emulated. Its times are not those of a GPU, so no rule was applied.</source>
        <translation>Die GPU wurde emuliert. Ihre Zeiten sind nicht die einer GPU, deshalb wurde keine Regel angewandt.</translation>
    </message>
    <message>
        <source>The step times are noisy (median between {} and {}), and so are the gains.</source>
        <translation>Die Zeiten der Schritte schwanken (Median zwischen {} und {}), und damit auch die Gewinne.</translation>
    </message>
    <message>
        <source>Gains are computed from these times.</source>
        <translation>Gewinne werden aus diesen Zeiten berechnet.</translation>
    </message>
    <message>
        <source>Record again on a quiet machine.</source>
        <translation>Zeichne auf einer ruhigen Maschine neu auf.</translation>
    </message>
    <message>
        <source>{} read results that only they use: {} through the links that bind.</source>
        <translation>{} lesen Ergebnisse, die nur sie benutzen: {} durch die Verbindungen, die begrenzen.</translation>
    </message>
    <message>
        <source>Eager mode runs op by op: fusion takes `--graph static`.</source>
        <translation>Der Eager-Modus rechnet Op für Op: Fusion braucht `--graph static`.</translation>
    </message>
    <message>
        <source>Fuse them with the ops before, so that these bytes stay in registers.</source>
        <translation>Verschmilz sie mit den Ops davor, damit diese Bytes in Registern bleiben.</translation>
    </message>
    <message>
        <source>written and read again</source>
        <translation>geschrieben und wieder gelesen</translation>
    </message>
    <message>
        <source>pairs of ops</source>
        <translation>Paare von Ops</translation>
    </message>
    <message>
        <source>spent in the reading ops per step</source>
        <translation>in den lesenden Ops je Schritt</translation>
    </message>
    <message>
        <source>each op&apos;s time without the bytes that fusion saves, down to its next limit</source>
        <translation>die Zeit jeder Op ohne die Bytes, die Fusion spart, bis zu ihrer nächsten Grenze</translation>
    </message>
    <message>
        <source>{} fill {:.2g} of the blocks this {} holds at a time.</source>
        <translation>{} füllen {:.2g} der Blöcke, die zugleich Platz haben ({}).</translation>
    </message>
    <message>
        <source>waves of blocks, mean by time</source>
        <translation>Wellen von Blöcken, nach Zeit gemittelt</translation>
    </message>
    <message>
        <source>per sample, each op&apos;s time by the share of the GPU it fills, down to its roofs</source>
        <translation>je Beispiel: die Zeit jeder Op mal dem Anteil der GPU, den sie füllt, bis zu ihren Dächern</translation>
    </message>
    <message>
        <source>Use a batch of {}.</source>
        <translation>Nimm einen Batch von {}.</translation>
    </message>
    <message>
        <source>Give each kernel more independent work.</source>
        <translation>Gib jedem Kernel mehr unabhängige Arbeit.</translation>
    </message>
    <message>
        <source>The run has no batch to enlarge.</source>
        <translation>Der Lauf hat keinen Batch, der sich vergrößern ließe.</translation>
    </message>
    <message>
        <source>The run used {}; this machine has {}.</source>
        <translation>Der Lauf benutzte {}; diese Maschine hat {}.</translation>
    </message>
    <message>
        <source>Use {}.</source>
        <translation>Nimm {}.</translation>
    </message>
    <message>
        <source>thread used</source>
        <translation>benutzter Thread</translation>
    </message>
    <message>
        <source>threads used</source>
        <translation>benutzte Threads</translation>
    </message>
    <message>
        <source>each op that threads can share: its roofs as measured at both thread counts, else as arithmetic scales; less the cost of starting threads</source>
        <translation>jede Op, die Threads sich teilen können: ihre Dächer, wie sie bei beiden Threadzahlen gemessen sind, sonst so, wie die Arithmetik skaliert; abzüglich der Kosten für den Start der Threads</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>Kerne</translation>
    </message>
    <message>
        <source>Load batches ahead: more workers of the data loader.</source>
        <translation>Lade Batches im Voraus: mehr Worker des Datenladers.</translation>
    </message>
    <message>
        <source>in the data loader&apos;s next batch per step (median)</source>
        <translation>im Datenlader für den nächsten Batch, je Schritt (Median)</translation>
    </message>
    <message>
        <source>all of the wait, at most: the batch is ready before it is needed</source>
        <translation>höchstens das ganze Warten: der Batch ist fertig, bevor er gebraucht wird</translation>
    </message>
    <message>
        <source>The loader is part of the traced program.</source>
        <translation>Der Lader ist Teil des aufgezeichneten Programms.</translation>
    </message>
    <message>
        <source>in which the GPU did nothing (median)</source>
        <translation>in denen die GPU nichts tat (Median)</translation>
    </message>
    <message>
        <source>the shorter of both, at most: the batch is ready before it is needed</source>
        <translation>höchstens das Kürzere von beiden: der Batch ist fertig, bevor er gebraucht wird</translation>
    </message>
    <message>
        <source> per batch</source>
        <translation> je Batch</translation>
    </message>
    <message>
        <source>Read and decode the next batch while this one is computed.</source>
        <translation>Lies und dekodiere den nächsten Batch, während dieser gerechnet wird.</translation>
    </message>
    <message>
        <source>the step would take as long as its slowest thread; threads that share a core save less</source>
        <translation>der Schritt würde so lange dauern wie sein langsamster Thread; Threads, die sich einen Kern teilen, sparen weniger</translation>
    </message>
    <message>
        <source>No option of this run loads ahead.</source>
        <translation>Keine Option dieses Laufs lädt im Voraus.</translation>
    </message>
    <message>
        <source>Make {} faster: more threads for it, smaller or fewer bytes, or a faster source.</source>
        <translation>Mach {} schneller: mehr Threads dafür, kleinere oder weniger Bytes, oder eine schnellere Quelle.</translation>
    </message>
    <message>
        <source>steps without the wait, as fast as the next slowest lane, at most</source>
        <translation>höchstens: Schritte ohne das Warten, so schnell wie die nächstlangsamste Stufe</translation>
    </message>
    <message>
        <source>the same steps with a batch that is in memory, without the wait</source>
        <translation>dieselben Schritte mit einem Batch, der im Speicher ist, ohne das Warten</translation>
    </message>
    <message>
        <source>No option of a run makes the source faster.</source>
        <translation>Keine Option eines Laufs macht die Quelle schneller.</translation>
    </message>
    <message>
        <source>The {} idles for {} of a step, {} of it before or during launches.</source>
        <translation>{}: {} Leerlauf je Schritt, davon {} vor oder während Starts.</translation>
    </message>
    <message>
        <source>The {} idles for {} of a step although its next work had been launched.</source>
        <translation>{}: {} Leerlauf je Schritt, obwohl die nächste Arbeit gestartet war.</translation>
    </message>
    <message>
        <source>idle while launched work was held</source>
        <translation>Leerlauf, während gestartete Arbeit aufgehalten war</translation>
    </message>
    <message>
        <source>idle in all</source>
        <translation>Leerlauf insgesamt</translation>
    </message>
    <message>
        <source>all time in which launched work was held, at most</source>
        <translation>höchstens alle Zeit, in der gestartete Arbeit aufgehalten war</translation>
    </message>
    <message>
        <source>See what held it: work from before the trace (synchronise before it begins), an event of another stream, or another program on this GPU.</source>
        <translation>Prüfe, was sie aufhielt: Arbeit von vor der Aufzeichnung (vor deren Beginn synchronisieren), ein Event eines anderen Streams oder ein anderes Programm auf dieser GPU.</translation>
    </message>
    <message>
        <source>Not a setting of this run.</source>
        <translation>Keine Einstellung dieses Laufs.</translation>
    </message>
    <message>
        <source>a GPU idles although its next work has been launched</source>
        <translation>eine GPU läuft leer, obwohl ihre nächste Arbeit gestartet ist</translation>
    </message>
    <message>
        <source>idle before or during launches</source>
        <translation>Leerlauf vor oder während Starts</translation>
    </message>
    <message>
        <source>per launching call (median)</source>
        <translation>je startendem Aufruf (Median)</translation>
    </message>
    <message>
        <source>per kernel (median)</source>
        <translation>je Kernel (Median)</translation>
    </message>
    <message>
        <source>per sample, the idle time of launches falls with the batch; the rest stays</source>
        <translation>je Beispiel sinkt der Leerlauf der Starts mit dem Batch; der Rest bleibt</translation>
    </message>
    <message>
        <source>Use a batch of {}, fuse ops, or record a CUDA graph.</source>
        <translation>Nimm einen Batch von {}, verschmilz Ops oder zeichne einen CUDA-Graphen auf.</translation>
    </message>
    <message>
        <source>all idle time before or during launches, at most</source>
        <translation>höchstens der ganze Leerlauf vor oder während Starts</translation>
    </message>
    <message>
        <source>Fuse ops or record a CUDA graph.</source>
        <translation>Verschmilz Ops oder zeichne einen CUDA-Graphen auf.</translation>
    </message>
    <message>
        <source>Use a batch of {}, or fuse ops.</source>
        <translation>Nimm einen Batch von {} oder verschmilz Ops.</translation>
    </message>
    <message>
        <source>Fuse ops, or prepare the next step while this one runs.</source>
        <translation>Verschmilz Ops oder bereite den nächsten Schritt vor, während dieser läuft.</translation>
    </message>
    <message>
        <source>{} wait for memory: {} of a step ({}).</source>
        <translation>{} warten auf den Speicher: {} eines Schritts ({}).</translation>
    </message>
    <message>
        <source>So do {}, which are not counted: training in 16 bits keeps weights and their state in f32.</source>
        <translation>Ebenso {}, die nicht mitzählen: Training in 16 Bits behält Gewichte und ihren Zustand in f32.</translation>
    </message>
    <message>
        <source>Use a narrower number format: half as many bytes.</source>
        <translation>Nimm ein schmaleres Zahlenformat: halb so viele Bytes.</translation>
    </message>
    <message>
        <source>through the links that bind</source>
        <translation>durch die Verbindungen, die begrenzen</translation>
    </message>
    <message>
        <source>each op in half its time, down to its next limit; without the cost of converting formats</source>
        <translation>jede Op in ihrer halben Zeit, bis zu ihrer nächsten Grenze; ohne die Kosten der Umwandlung der Formate</translation>
    </message>
    <message>
        <source>added for casts of weights and their gradients</source>
        <translation>zusätzlich für Umwandlungen der Gewichte und ihrer Gradienten</translation>
    </message>
    <message>
        <source>each op in half its time, down to its next limit, less the casts of weights and their gradients</source>
        <translation>jede Op in ihrer halben Zeit, bis zu ihrer nächsten Grenze, abzüglich der Umwandlungen der Gewichte und ihrer Gradienten</translation>
    </message>
    <message>
        <source>A narrower number format would halve their bytes.</source>
        <translation>Ein schmaleres Zahlenformat würde ihre Bytes halbieren.</translation>
    </message>
    <message>
        <source>A model file has its own: export it in a narrower one.</source>
        <translation>Eine Modelldatei hat ihr eigenes: Exportieren Sie sie in einem schmaleren.</translation>
    </message>
    <message>
        <source>This run takes none.</source>
        <translation>Dieser Lauf nimmt keines.</translation>
    </message>
    <message>
        <source>our slow reference kernel</source>
        <translation>unseren langsamen Referenzkernel</translation>
    </message>
    <message>
        <source>a library&apos;s slow reference kernel</source>
        <translation>den langsamen Referenzkernel einer Bibliothek</translation>
    </message>
    <message>
        <source>{} runs in {}: no fast kernel takes {} yet ({} of the step).</source>
        <translation>{} nutzt {}: noch nimmt kein schneller Kernel {} ({} des Schritts).</translation>
    </message>
    <message>
        <source>Its figures describe this code, not the machine. Give its operands another layout or dtype, or leave it out of conclusions.</source>
        <translation>Die Zahlen beschreiben diesen Code, nicht die Maschine. Gib den Operanden eine andere Anordnung oder einen anderen Datentyp, oder zieh keine Schlüsse daraus.</translation>
    </message>
    <message>
        <source>ops in reference code</source>
        <translation>Ops in Referenzcode</translation>
    </message>
    <message>
        <source>down to the larger of five copies of the compulsory bytes and the FLOPs at a tenth of the peak, which fast kernels reach</source>
        <translation>bis zum Größeren von fünf Kopien der zwingenden Bytes und den FLOPs bei einem Zehntel der Spitze, was schnelle Kernel erreichen</translation>
    </message>
    <message>
        <source>No option of a run changes which kernel takes an op.</source>
        <translation>Keine Option eines Laufs ändert, welcher Kernel eine Op nimmt.</translation>
    </message>
    <message>
        <source>{} move {:.1f} times their compulsory bytes: reused data has left the cache.</source>
        <translation>{} bewegen das {:.1f}-Fache ihrer zwingenden Bytes: wiederverwendete Daten haben den Cache verlassen.</translation>
    </message>
    <message>
        <source>each op moves its compulsory bytes once at the bandwidth it reaches, down to its next limit</source>
        <translation>jede Op bewegt ihre zwingenden Bytes einmal mit der Bandbreite, die sie erreicht, bis zu ihrer nächsten Grenze</translation>
    </message>
    <message>
        <source>Use a batch of {}: the footprint (distinct bytes) of most of these ops then fits.</source>
        <translation>Nimm einen Batch von {}: der Bedarf (verschiedene Bytes) der meisten dieser Ops passt dann hinein.</translation>
    </message>
    <message>
        <source>Process the data in blocks that fit the cache.</source>
        <translation>Verarbeite die Daten in Blöcken, die in den Cache passen.</translation>
    </message>
    <message>
        <source>No option of a run blocks these ops&apos; loops, and no smaller batch makes them fit.</source>
        <translation>Keine Option eines Laufs zerlegt die Schleifen dieser Ops in Blöcke, und mit keinem kleineren Batch passen sie hinein.</translation>
    </message>
    <message>
        <source>Copies take {} of a step&apos;s {} while nothing computes.</source>
        <translation>Kopien brauchen {} von {} eines Schritts, während nichts rechnet.</translation>
    </message>
    <message>
        <source>copies alone per step</source>
        <translation>Kopien allein je Schritt</translation>
    </message>
    <message>
        <source>copies per step</source>
        <translation>Kopien je Schritt</translation>
    </message>
    <message>
        <source>of those alone, from or to pageable memory, per step</source>
        <translation>davon allein, aus oder in auslagerbaren Speicher, je Schritt</translation>
    </message>
    <message>
        <source>copies overlapped with kernels that run without any</source>
        <translation>Kopien überlappt mit Kerneln, neben denen keine läuft</translation>
    </message>
    <message>
        <source>Use pinned memory: copies from pageable memory make the host wait and cannot overlap.</source>
        <translation>Nimm festgehaltenen Speicher (pinned): bei Kopien mit auslagerbarem Speicher wartet der Host, und sie können nicht überlappen.</translation>
    </message>
    <message>
        <source>Copy the next step&apos;s input while this one is computed.</source>
        <translation>Kopiere die Eingabe des nächsten Schritts, während dieser gerechnet wird.</translation>
    </message>
    <message>
        <source>No option of this run copies ahead.</source>
        <translation>Keine Option dieses Laufs kopiert im Voraus.</translation>
    </message>
    <message>
        <source>{:.0f} small {} calls of a step move {} at {}; the largest calls reach {}.</source>
        <translation>{:.0f} kleine {}-Aufrufe eines Schritts bewegen {} mit {}; die größten Aufrufe erreichen {}.</translation>
    </message>
    <message>
        <source>small calls per step</source>
        <translation>kleine Aufrufe je Schritt</translation>
    </message>
    <message>
        <source>in small calls per step</source>
        <translation>in kleinen Aufrufen je Schritt</translation>
    </message>
    <message>
        <source>of that exposed</source>
        <translation>davon unverdeckt</translation>
    </message>
    <message>
        <source>in the largest call</source>
        <translation>im größten Aufruf</translation>
    </message>
    <message>
        <source>exposed time of the small calls beyond their bytes at the rate of the largest, at most</source>
        <translation>höchstens: unverdeckte Zeit der kleinen Aufrufe, abzüglich der Zeit ihrer Bytes bei der Rate der größten</translation>
    </message>
    <message>
        <source>Send them together: larger buckets of gradients, fewer shards, or coalesced collectives.</source>
        <translation>Sende sie zusammen: größere Pakete von Gradienten, weniger Shards, oder zusammengefasste kollektive Operationen.</translation>
    </message>
    <message>
        <source>{} arrives last at {:.0f} of {:.0f} collectives; the other ranks wait {} per step for it.</source>
        <translation>{} kommt bei {:.0f} von {:.0f} kollektiven Operationen als Letzter an; die anderen Ränge warten je Schritt {} darauf.</translation>
    </message>
    <message>
        <source>the others wait per step (mean)</source>
        <translation>warten die anderen je Schritt (Mittel)</translation>
    </message>
    <message>
        <source>{} waits itself per step</source>
        <translation>wartet {} selbst je Schritt</translation>
    </message>
    <message>
        <source>of the collectives it is last</source>
        <translation>der kollektiven Operationen, bei denen er der Letzte ist</translation>
    </message>
    <message>
        <source>waiting of the other ranks beyond its own; by the clocks of the ranks</source>
        <translation>Warten der anderen Ränge über sein eigenes hinaus; nach den Uhren der Ränge</translation>
    </message>
    <message>
        <source>Compare {} with the others: its batch, its input, its clock rate and its launches.</source>
        <translation>Vergleiche {} mit den anderen: Batch, Eingabe, Takt und Starts.</translation>
    </message>
    <message>
        <source>This run has no setting for one rank alone.</source>
        <translation>Dieser Lauf hat keine Einstellung für einen Rang allein.</translation>
    </message>
    <message>
        <source>{} of the bytes of {} are weights</source>
        <translation>{1}: {0} der Bytes sind Gewichte</translation>
    </message>
    <message>
        <source>{} of the bytes of {} are weights and {} optimiser state</source>
        <translation>{1}: {0} der Bytes sind Gewichte und {2} Zustand des Optimierers</translation>
    </message>
    <message>
        <source>{} of the bytes of {} are optimiser state</source>
        <translation>{1}: {0} der Bytes sind Zustand des Optimierers</translation>
    </message>
    <message>
        <source>, moved once per step however many samples it has.</source>
        <translation>, einmal je Schritt bewegt, egal wie viele Beispiele er hat.</translation>
    </message>
    <message>
        <source>Use a batch of {}: each weight then serves {:.0f} times as many samples.</source>
        <translation>Nimm einen Batch von {}: jedes Gewicht dient dann {:.0f}-mal so vielen Beispielen.</translation>
    </message>
    <message>
        <source>of weights through the links that bind</source>
        <translation>Gewichte durch die Verbindungen, die begrenzen</translation>
    </message>
    <message>
        <source>in all</source>
        <translation>insgesamt</translation>
    </message>
    <message>
        <source>of optimiser state through them</source>
        <translation>Zustand des Optimierers durch sie</translation>
    </message>
    <message>
        <source>per sample, these bytes fall with the batch and the rest stays; down to the next limit of each op</source>
        <translation>je Beispiel sinken diese Bytes mit dem Batch, und der Rest bleibt; bis zur nächsten Grenze jeder Op</translation>
    </message>
    <message>
        <source>{} of the bytes of {} are lines fetched only to be overwritten.</source>
        <translation>{1}: {0} der Bytes sind Zeilen, die nur geholt werden, um überschrieben zu werden.</translation>
    </message>
    <message>
        <source>Store past the caches (non-temporal), or compute in place.</source>
        <translation>Schreibe an den Caches vorbei (non-temporal), oder rechne am selben Ort.</translation>
    </message>
    <message>
        <source>fetched only to be overwritten</source>
        <translation>nur geholt, um überschrieben zu werden</translation>
    </message>
    <message>
        <source>each op&apos;s time without such fills, down to its next limit</source>
        <translation>die Zeit jeder Op, ohne solche Zeilen zu holen, bis zu ihrer nächsten Grenze</translation>
    </message>
    <message>
        <source>No option of a run chooses how kernels store.</source>
        <translation>Keine Option eines Laufs wählt, wie Kernel schreiben.</translation>
    </message>
    <message>
        <source>No op of this step reads what another one writes: there is nothing to fuse.</source>
        <translation>Keine Op dieses Schritts liest, was eine andere schreibt: es gibt nichts zu verschmelzen.</translation>
    </message>
    <message>
        <source>Fusion is unknown: this trace does not record which op reads the result of another.</source>
        <translation>Fusion ist unbekannt: diese Spur zeichnet nicht auf, welche Op das Ergebnis einer anderen liest.</translation>
    </message>
    <message>
        <source>{} of {} fused: {} per step are neither written nor read again (exact), and {} not started.</source>
        <translation>{} von {} verschmolzen: {} je Schritt werden weder geschrieben noch wieder gelesen (exakt), und {} nicht gestartet.</translation>
    </message>
    <message>
        <source>1 pair is</source>
        <translation>1 Paar ist</translation>
    </message>
    <message>
        <source>{} pairs are</source>
        <translation>{} Paaren sind</translation>
    </message>
    <message>
        <source>1 op is</source>
        <translation>1 Op wird</translation>
    </message>
    <message>
        <source>{} ops are</source>
        <translation>{} Ops werden</translation>
    </message>
    <message>
        <source>{} of {} pairs could be fused: {} per step would be neither written nor read again (exact).</source>
        <translation>{} von {} Paaren ließen sich verschmelzen: {} je Schritt würden weder geschrieben noch wieder gelesen (exakt).</translation>
    </message>
    <message>
        <source>Not fused, {} with {}: {}.</source>
        <translation>Nicht verschmolzen, {} mit {}: {}.</translation>
    </message>
    <message>
        <source>pair</source>
        <translation>Paar</translation>
    </message>
    <message>
        <source>pairs</source>
        <translation>Paare</translation>
    </message>
    <message>
        <source>As the trace calls it, or as the name of its kernel says</source>
        <translation>Wie die Spur sie nennt, oder wie der Name ihres Kernels sagt</translation>
    </message>
    <message>
        <source>Process group. Empty: the trace does not say</source>
        <translation>Prozessgruppe. Leer: die Spur sagt es nicht</translation>
    </message>
    <message>
        <source>Ranks in the group. Empty: the trace does not say</source>
        <translation>Ränge in der Gruppe. Leer: die Spur sagt es nicht</translation>
    </message>
    <message>
        <source>The larger of what the rank sends and receives, as nccl-tests count it. Empty: the trace holds no sizes</source>
        <translation>Das Größere von dem, was der Rang sendet und empfängt, wie nccl-tests es zählt. Leer: die Spur enthält keine Größen</translation>
    </message>
    <message>
        <source>Bytes by time. The time includes waiting for other ranks</source>
        <translation>Bytes durch Zeit. Die Zeit enthält das Warten auf andere Ränge</translation>
    </message>
    <message>
        <source>Algorithm bandwidth times 2(n-1)/n (all-reduce), (n-1)/n (all-gather, reduce-scatter, all-to-all, gather, scatter) or 1 (broadcast, reduce, send), among n ranks, as in nccl-tests</source>
        <translation>Bandbreite des Algorithmus mal 2(n-1)/n (all-reduce), (n-1)/n (all-gather, reduce-scatter, all-to-all, gather, scatter) oder 1 (broadcast, reduce, send), bei n Rängen, wie in nccl-tests</translation>
    </message>
    <message>
        <source>Part of the time in which no kernel computes on this GPU. On a host: no op computes on another thread</source>
        <translation>Teil der Zeit, in dem auf dieser GPU kein Kernel rechnet. Auf einem Host: auf keinem anderen Thread rechnet eine Op</translation>
    </message>
    <message>
        <source>In the whole trace</source>
        <translation>In der ganzen Spur</translation>
    </message>
    <message>
        <source>Sum over all calls in the whole trace</source>
        <translation>Summe über alle Aufrufe in der ganzen Spur</translation>
    </message>
    <message>
        <source>The rest of the time: a kernel computes beside it</source>
        <translation>Der Rest der Zeit: ein Kernel rechnet daneben</translation>
    </message>
    <message>
        <source>From the first rank&apos;s arrival to the last one&apos;s, mean. Empty: one rank alone, or clocks that disagree</source>
        <translation>Von der Ankunft des ersten Rangs bis zu der des letzten, Mittel. Leer: ein Rang allein, oder Uhren, die einander widersprechen</translation>
    </message>
    <message>
        <source>From this rank&apos;s arrival to the last one&apos;s, sum over all calls</source>
        <translation>Von der Ankunft dieses Rangs bis zu der des letzten, Summe über alle Aufrufe</translation>
    </message>
    <message>
        <source>Since the first instant of the trace</source>
        <translation>Seit dem ersten Zeitpunkt der Spur</translation>
    </message>
    <message>
        <source>Of its kernel</source>
        <translation>Ihres Kernels</translation>
    </message>
    <message>
        <source>From the first rank&apos;s arrival to the last one&apos;s</source>
        <translation>Von der Ankunft des ersten Rangs bis zu der des letzten</translation>
    </message>
    <message>
        <source>From this rank&apos;s arrival to the last one&apos;s</source>
        <translation>Von der Ankunft dieses Rangs bis zu der des letzten</translation>
    </message>
    <message>
        <source>{} of {} of communication run while nothing computes beside it ({}).</source>
        <translation>{} von {} Kommunikation laufen, während nichts daneben rechnet ({}).</translation>
    </message>
    <message>
        <source>The bytes of {} of {} are unknown: the trace holds no sizes for them. PyTorch records them since 2.2.</source>
        <translation>{1}, davon {0} mit unbekannten Bytes: die Spur enthält keine Größen dafür. PyTorch zeichnet sie seit 2.2 auf.</translation>
    </message>
    <message>
        <source>Skew and waiting are unknown: the capture holds one rank. Import the traces of all ranks.</source>
        <translation>Versatz und Warten sind unbekannt: die Aufzeichnung enthält einen Rang. Importiere die Spuren aller Ränge.</translation>
    </message>
    <message>
        <source>Skew and waiting are unknown: the clocks of the ranks disagree. By them, calls of one collective do not overlap.</source>
        <translation>Versatz und Warten sind unbekannt: die Uhren der Ränge widersprechen einander. Nach ihnen überlappen sich die Aufrufe einer kollektiven Operation nicht.</translation>
    </message>
    <message>
        <source>Skew and waiting are unknown: no collective was found on several ranks.</source>
        <translation>Versatz und Warten sind unbekannt: keine kollektive Operation fand sich auf mehreren Rängen.</translation>
    </message>
    <message>
        <source>{} of {} were left out of skew and waiting: by the clocks of the ranks they do not overlap.</source>
        <translation>{1}, davon {0} ohne Versatz und Warten: nach den Uhren der Ränge überlappen sie sich nicht.</translation>
    </message>
    <message>
        <source>call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>No work of a GPU was recorded: the path is the host&apos;s. Ops have {}, the rest {}.</source>
        <translation>Keine Arbeit einer GPU wurde aufgezeichnet: der Pfad ist der des Hosts. Ops haben {}, der Rest {}.</translation>
    </message>
    <message>
        <source>Work of GPUs has {} of the critical path, the host {}, delays between them {}.</source>
        <translation>Anteile am kritischen Pfad: Arbeit von GPUs {}, der Host {}, Verzug dazwischen {}.</translation>
    </message>
    <message>
        <source>Faster kernels alone shorten less than half of the step.</source>
        <translation>Schnellere Kernel allein verkürzen weniger als die Hälfte des Schritts.</translation>
    </message>
    <message>
        <source>Kernels, copies and memsets whose call is known</source>
        <translation>Kernel, Kopien und Memsets, deren Aufruf bekannt ist</translation>
    </message>
    <message>
        <source>Call unknown</source>
        <translation>Aufruf unbekannt</translation>
    </message>
    <message>
        <source>Those whose call is not in the trace; they are left out</source>
        <translation>Die, deren Aufruf nicht in der Spur steht; sie sind ausgelassen</translation>
    </message>
    <message>
        <source>Too early</source>
        <translation>Zu früh</translation>
    </message>
    <message>
        <source>Begun before their call by the clocks of host and GPU; they are left out</source>
        <translation>Nach den Uhren von Host und GPU vor ihrem Aufruf begonnen; sie sind ausgelassen</translation>
    </message>
    <message>
        <source>Most at a time between their call and their begin</source>
        <translation>Höchste Zahl, die zugleich zwischen Aufruf und Beginn steht</translation>
    </message>
    <message>
        <source>Mean depth</source>
        <translation>Mittlere Tiefe</translation>
    </message>
    <message>
        <source>Mean over time, from the first call to the last begin</source>
        <translation>Mittel über die Zeit, vom ersten Aufruf bis zum letzten Beginn</translation>
    </message>
    <message>
        <source>Median wait</source>
        <translation>Median des Wartens</translation>
    </message>
    <message>
        <source>From the begin of the call to the begin of its work</source>
        <translation>Vom Beginn des Aufrufs bis zum Beginn seiner Arbeit</translation>
    </message>
    <message>
        <source>Longest wait</source>
        <translation>Längstes Warten</translation>
    </message>
    <message>
        <source>The same, of the one that waits longest</source>
        <translation>Dasselbe, von dem, was am längsten wartet</translation>
    </message>
    <message>
        <source>{} launched {} in this capture.</source>
        <translation>In dieser Aufzeichnung gestartet: {1} (durch {0}).</translation>
    </message>
    <message>
        <source>op</source>
        <translation>Op</translation>
    </message>
    <message>
        <source>ops</source>
        <translation>Ops</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>kernels</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>{} to {}</source>
        <translation>{} → {}</translation>
    </message>
    <message>
        <source>The GPU runs behind the host: {} of its work ran after the host had left the step that launched it. Steps here are the GPU&apos;s: each ends with the last work launched in it.</source>
        <translation>Die GPU läuft dem Host hinterher: {} ihrer Arbeit liefen, nachdem der Host den Schritt verlassen hatte, der sie startete. Schritte sind hier die der GPU: jeder endet mit der letzten Arbeit, die in ihm gestartet wurde.</translation>
    </message>
    <message>
        <source>{} of the GPU&apos;s work ({}) is outside the measured steps and counts in none.</source>
        <translation>{} der Arbeit der GPU ({}) liegen außerhalb der gemessenen Schritte und zählen in keinem.</translation>
    </message>
    <message>
        <source>{} of {} steps do not count. They have no length, or fall within late GPU work of the step before, which lasts longer for it.</source>
        <translation>{} von {} Schritten zählen nicht. Sie haben keine Länge oder liegen in später GPU-Arbeit des Schritts davor, der deshalb länger dauert.</translation>
    </message>
    <message>
        <source> communicates without computing {},</source>
        <translation> kommuniziert ohne zu rechnen {},</translation>
    </message>
    <message>
        <source>The {} computes {} of the time,{} copies without computing {}, and idles {}.</source>
        <translation>{}: rechnet {} der Zeit,{} kopiert ohne zu rechnen {} und steht {} still.</translation>
    </message>
    <message>
        <source>Communication-bound: {} of {} of communication pass while nothing computes; start it earlier beside other work, or send fewer bytes.</source>
        <translation>Durch Kommunikation begrenzt: {} von {} Kommunikation vergehen, während nichts rechnet; beginne sie früher, neben anderer Arbeit, oder sende weniger Bytes.</translation>
    </message>
    <message>
        <source>Transfer-bound: {} of {} of copies run while nothing computes; copy the next input while this one is computed.</source>
        <translation>Durch Kopien begrenzt: {} von {} Kopieren laufen, während nichts rechnet; kopiere die nächste Eingabe, während diese gerechnet wird.</translation>
    </message>
    <message>
        <source>Launch-bound: {} of {} idle pass before or during launches; fewer, larger kernels or a CUDA graph remove it.</source>
        <translation>Durch Starts begrenzt: {} von {} Leerlauf vergehen vor oder während Starts; weniger und größere Kernel oder ein CUDA-Graph beseitigen das.</translation>
    </message>
    <message>
        <source>Launch-bound: {} of {} idle pass before or during launches; fewer, larger kernels remove it.</source>
        <translation>Durch Starts begrenzt: {} von {} Leerlauf vergehen vor oder während Starts; weniger und größere Kernel beseitigen das.</translation>
    </message>
    <message>
        <source>Input-bound: {} of {} idle pass while the host fetches data; load batches ahead.</source>
        <translation>Durch die Eingabe begrenzt: {} von {} Leerlauf vergehen, während der Host Daten holt; lade Batches im Voraus.</translation>
    </message>
    <message>
        <source>{} of the kernels run for less time than the call that launches them takes (median {} against {}).</source>
        <translation>{} der Kernel laufen kürzer, als der Aufruf dauert, der sie startet (Median {} gegen {}).</translation>
    </message>
    <message>
        <source>The GPU was emulated: these are times of the emulation, not of a GPU.</source>
        <translation>Die GPU wurde emuliert: das sind Zeiten der Emulation, nicht einer GPU.</translation>
    </message>
    <message>
        <source>From the step&apos;s start to its end. In an imported trace: to the end of the work launched in it; the next step begins there</source>
        <translation>Vom Beginn des Schritts bis zu seinem Ende. In einer importierten Spur: bis zum Ende der darin gestarteten Arbeit; dort beginnt der nächste Schritt</translation>
    </message>
    <message>
        <source>Some kernel that computes, or a memset, ran (a union: overlapping kernels count once)</source>
        <translation>Ein Kernel, der rechnet, oder ein Memset lief (eine Vereinigung: überlappende Kernel zählen einmal)</translation>
    </message>
    <message>
        <source>Some kernel that carries data between GPUs (NCCL, RCCL) ran</source>
        <translation>Ein Kernel, der Daten zwischen GPUs bewegt (NCCL, RCCL), lief</translation>
    </message>
    <message>
        <source>Comm. alone</source>
        <translation>Komm. allein</translation>
    </message>
    <message>
        <source>Communication without a kernel beside it that computes</source>
        <translation>Kommunikation, neben der kein Kernel rechnet</translation>
    </message>
    <message>
        <source>Some copy ran</source>
        <translation>Eine Kopie lief</translation>
    </message>
    <message>
        <source>A copy ran beside a kernel, or beside communication</source>
        <translation>Eine Kopie lief neben einem Kernel oder neben Kommunikation</translation>
    </message>
    <message>
        <source>Copies alone</source>
        <translation>Kopien allein</translation>
    </message>
    <message>
        <source>Copies without a kernel beside them</source>
        <translation>Kopien ohne einen Kernel daneben</translation>
    </message>
    <message>
        <source>The device did nothing; its causes follow and add up to it</source>
        <translation>Das Gerät tat nichts; die Ursachen folgen und ergeben zusammen diese Zeit</translation>
    </message>
    <message>
        <source>CUDA calls</source>
        <translation>CUDA-Aufrufe</translation>
    </message>
    <message>
        <source>Idle before the next launch had returned, while the host was inside CUDA calls</source>
        <translation>Leerlauf vor der Rückkehr des nächsten Starts, während der Host in CUDA-Aufrufen war</translation>
    </message>
    <message>
        <source>... while the host was waiting for the GPU</source>
        <translation>... während der Host auf die GPU wartete</translation>
    </message>
    <message>
        <source>... while the host fetched its data</source>
        <translation>... während der Host seine Daten holte</translation>
    </message>
    <message>
        <source>... while the host did something else</source>
        <translation>... während der Host etwas anderes tat</translation>
    </message>
    <message>
        <source>From the return of the launch to the start of the work</source>
        <translation>Von der Rückkehr des Starts bis zum Beginn der Arbeit</translation>
    </message>
    <message>
        <source>The next work had been launched already and waited for other work or the device</source>
        <translation>Die nächste Arbeit war schon gestartet und wartete auf andere Arbeit oder das Gerät</translation>
    </message>
    <message>
        <source>The launch was not recorded</source>
        <translation>Der Start wurde nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>Aufgehalten</translation>
    </message>
    <message>
        <source>The next work had been launched, but nothing ran for longer than a start takes (100 us). An event, another program or work from before the trace held it</source>
        <translation>Die nächste Arbeit war gestartet, doch länger als jeder Start dauert (100 us) lief nichts. Ein Event, ein anderes Programm oder Arbeit von vor der Aufzeichnung hielt sie auf</translation>
    </message>
    <message>
        <source>{} of {} idle pass although the next work had been launched. An event, another program, or work from before the trace held it.</source>
        <translation>{} von {} Leerlauf vergehen, obwohl die nächste Arbeit gestartet war. Ein Event, ein anderes Programm oder Arbeit von vor der Aufzeichnung hielt sie auf.</translation>
    </message>
    <message>
        <source>1 copy</source>
        <translation>1 Kopie</translation>
    </message>
    <message>
        <source>{} copies</source>
        <translation>{} Kopien</translation>
    </message>
    <message>
        <source>{} of {} moved bytes that were there already ({}, {}), mostly {}: keep it on the device.</source>
        <translation>{} von {} ohne Not: die Bytes waren schon da ({}, {}), vor allem {}: lass den Tensor auf dem Gerät.</translation>
    </message>
    <message>
        <source>{} used pageable host memory ({}). The driver stages such copies, and the host waits even for asynchronous ones. Pinned memory lets them run beside kernels.</source>
        <translation>{} mit auslagerbarem Speicher des Hosts ({}). Der Treiber kopiert dann über einen Puffer, und der Host wartet auch bei asynchronen Kopien. Mit festgehaltenem Speicher (pinned) können sie neben Kerneln laufen.</translation>
    </message>
    <message>
        <source>{} copies are smaller than {} on average ({}). Their fixed cost outweighs their bytes; one larger copy is faster.</source>
        <translation>{} Kopien sind im Mittel kleiner als {} ({}). Ihre festen Kosten überwiegen ihre Bytes; eine größere Kopie ist schneller.</translation>
    </message>
    <message>
        <source>its loops have no description</source>
        <translation>ihre Schleifen haben keine Beschreibung</translation>
    </message>
    <message>
        <source>it has too many parts to count</source>
        <translation>sie hat zu viele Teile, um sie zu zählen</translation>
    </message>
    <message>
        <source>{}: {:.3g} loads and stores and {:.3g} branches per multiply-add.</source>
        <translation>{}: {:.3g} Lade- und Schreibbefehle und {:.3g} Sprünge je Multiply-Add.</translation>
    </message>
    <message>
        <source>Sum of all durations; what runs at once counts twice</source>
        <translation>Summe aller Dauern; was zugleich läuft, zählt doppelt</translation>
    </message>
    <message>
        <source>Total without the ranges and ops inside, on the same thread</source>
        <translation>Gesamt ohne die Bereiche und Ops darin, auf demselben Thread</translation>
    </message>
    <message>
        <source>Total / count</source>
        <translation>Gesamt / Anzahl</translation>
    </message>
    <message>
        <source>Shortest duration</source>
        <translation>Kürzeste Dauer</translation>
    </message>
    <message>
        <source>Median duration</source>
        <translation>Median der Dauern</translation>
    </message>
    <message>
        <source>Longest duration</source>
        <translation>Längste Dauer</translation>
    </message>
    <message>
        <source>Std. dev.</source>
        <translation>Std.-Abw.</translation>
    </message>
    <message>
        <source>Standard deviation of a sample (n - 1). Empty: one alone</source>
        <translation>Standardabweichung einer Stichprobe (n - 1). Leer: nur eine</translation>
    </message>
    <message>
        <source>No ops were recorded, only what the timeline shows.</source>
        <translation>Keine Ops wurden aufgezeichnet, nur was die Zeitleiste zeigt.</translation>
    </message>
    <message>
        <source>The trace does not hold which op reads what another op wrote.</source>
        <translation>Die Spur enthält nicht, welche Op liest, was eine andere schrieb.</translation>
    </message>
    <message>
        <source>{} in {}; {} with {} to read.</source>
        <translation>{} in {}; {}, {} zu lesen.</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>edge</source>
        <translation>Kante</translation>
    </message>
    <message>
        <source>edges</source>
        <translation>Kanten</translation>
    </message>
    <message>
        <source>none: the bytes of all operands</source>
        <translation>ohne: die Bytes aller Operanden</translation>
    </message>
    <message>
        <source>{}{} of this machine</source>
        <translation>{}{} dieser Maschine</translation>
    </message>
    <message>
        <source>{}bytes of all weights</source>
        <translation>{}Bytes aller Gewichte</translation>
    </message>
    <message>
        <source>{}all: inputs and outputs alone</source>
        <translation>{}alles: nur Eingaben und Ausgaben</translation>
    </message>
    <message>
        <source>Without on-chip memory a step moves {}: the bytes of all operands (exact).</source>
        <translation>Ohne Speicher auf dem Chip bewegt ein Schritt {}: die Bytes aller Operanden (exakt).</translation>
    </message>
    <message>
        <source>With {} on the chip it moves {}: {} of inputs and {} of outputs (modelled).</source>
        <translation>Mit {} auf dem Chip bewegt er {}: {} Eingaben und {} Ausgaben (modelliert).</translation>
    </message>
    <message>
        <source>One step was recorded, with {}.</source>
        <translation>Ein Schritt wurde aufgezeichnet, mit {}.</translation>
    </message>
    <message>
        <source>All {} recorded steps ran the same {} in the same order.</source>
        <translation>Alle {} aufgezeichneten Schritte führten dasselbe in derselben Reihenfolge aus: {}.</translation>
    </message>
    <message>
        <source>{} of {} recorded steps ran the {} of the first one in the same order; {} ran others.</source>
        <translation>{} von {} aufgezeichneten Schritten führten dasselbe in derselben Reihenfolge aus wie der erste ({}); {} führten anderes aus.</translation>
    </message>
    <message>
        <source>Copies between host and device as they were recorded, of the measured and traced steps, per step; several devices together.</source>
        <translation>Kopien zwischen Host und Gerät, wie sie in den gemessenen und aufgezeichneten Schritten verzeichnet sind, je Schritt; mehrere Geräte zusammen.</translation>
    </message>
    <message>
        <source> Bytes are those of all ranks, times the mean of a rank.</source>
        <translation> Bytes sind die aller Ränge, Zeiten das Mittel eines Rangs.</translation>
    </message>
    <message>
        <source>Bytes that the loader read from its files per batch, packed as on disk. The operating system may have had them in memory.</source>
        <translation>Bytes, die der Lader je Batch aus seinen Dateien las, gepackt wie auf dem Datenträger. Das Betriebssystem hatte sie vielleicht schon im Speicher.</translation>
    </message>
    <message>
        <source>weights, optimiser state, inputs</source>
        <translation>Gewichte, Zustand des Optimierers, Eingaben</translation>
    </message>
    <message>
        <source>pool of the step&apos;s tensors</source>
        <translation>Pool der Tensoren des Schritts</translation>
    </message>
    <message>
        <source>arena of the step&apos;s tensors</source>
        <translation>Arena der Tensoren des Schritts</translation>
    </message>
    <message>
        <source>workspace of kernels</source>
        <translation>Zwischenspeicher der Kernel</translation>
    </message>
    <message>
        <source>code and mapped files</source>
        <translation>Code und eingeblendete Dateien</translation>
    </message>
    <message>
        <source>unaccounted</source>
        <translation>nicht zugeordnet</translation>
    </message>
    <message>
        <source>resident memory of the process</source>
        <translation>residenter Speicher des Prozesses</translation>
    </message>
    <message>
        <source>The plan has {} that the process never touched, so the system gave no memory for them.</source>
        <translation>Der Plan enthält {}, die der Prozess nie berührte, also gab das System dafür keinen Speicher.</translation>
    </message>
    <message>
        <source>{} of {} resident have no owner: buffers of libraries, the recording and the heap.</source>
        <translation>{} von {} resident haben keinen Besitzer: Puffer von Bibliotheken, die Aufzeichnung und der Heap.</translation>
    </message>
    <message>
        <source>repeated</source>
        <translation>wiederholt</translation>
    </message>
    <message>
        <source>row-major</source>
        <translation>in Zeilenordnung</translation>
    </message>
    <message>
        <source>channels-last</source>
        <translation>Kanäle zuletzt</translation>
    </message>
    <message>
        <source>transposed</source>
        <translation>transponiert</translation>
    </message>
    <message>
        <source>strided</source>
        <translation>mit Schrittweiten</translation>
    </message>
    <message>
        <source>{:.0f} % of the step copies tensors into another layout ({}).</source>
        <translation>{:.0f} % des Schritts kopieren Tensoren in ein anderes Layout ({}).</translation>
    </message>
    <message>
        <source>A part of the step</source>
        <translation>Ein Teil des Schritts</translation>
    </message>
    <message>
        <source>Less than 1 % of the step</source>
        <translation>Weniger als 1 % des Schritts</translation>
    </message>
    <message>
        <source>{:.0f} % of the step</source>
        <translation>{:.0f} % des Schritts</translation>
    </message>
    <message>
        <source>{} runs in slow reference code ({}): no fast kernel takes {} as {} yet.</source>
        <translation>{} in langsamem Referenzcode ({}): noch nimmt kein schneller Kernel {} so, wie {}.</translation>
    </message>
    <message>
        <source>this op</source>
        <translation>diese Op</translation>
    </message>
    <message>
        <source>these ops</source>
        <translation>diese Ops</translation>
    </message>
    <message>
        <source>it is</source>
        <translation>sie ist</translation>
    </message>
    <message>
        <source>they are</source>
        <translation>sie sind</translation>
    </message>
    <message>
        <source>to </source>
        <translation>nach </translation>
    </message>
    <message>
        <source>No op changes what lives across steps: equal inputs give equal results in each step.</source>
        <translation>Keine Op ändert, was über Schritte lebt: gleiche Eingaben ergeben in jedem Schritt gleiche Ergebnisse.</translation>
    </message>
    <message>
        <source>Each step changes what later steps start from. Results are of the step in the table.</source>
        <translation>Jeder Schritt ändert, wovon spätere Schritte ausgehen. Die Ergebnisse sind die des Schritts in der Tabelle.</translation>
    </message>
    <message>
        <source>Of a result above {} KiB, {} evenly spread values are kept. The checksum is of all.</source>
        <translation>Von einem Ergebnis über {} KiB sind {} gleichmäßig verteilte Werte behalten. Die Prüfsumme gilt für alle.</translation>
    </message>
    <message>
        <source>an imported trace holds no values.</source>
        <translation>eine importierte Spur enthält keine Werte.</translation>
    </message>
    <message>
        <source>the null device computes nothing.</source>
        <translation>das Gerät null rechnet nichts.</translation>
    </message>
    <message>
        <source>the graph marks no output, or an older version recorded the run.</source>
        <translation>der Graph kennzeichnet keine Ausgabe, oder eine ältere Version zeichnete den Lauf auf.</translation>
    </message>
    <message>
        <source>Reuses at a distance that </source>
        <translation>Wiederbenutzungen in einem Abstand, den </translation>
    </message>
    <message>
        <source> holds and no smaller cache does</source>
        <translation> fasst und kein kleinerer Cache</translation>
    </message>
    <message>
        <source>{} of {} {} used once and not again.</source>
        <translation>{1}: {0} {2} einmal benutzt und dann nicht wieder.</translation>
    </message>
    <message>
        <source>Cache sizes are unknown, so no reuse is put at a level; `tensortide probe` measures them.</source>
        <translation>Die Größen der Caches sind unbekannt, also wird keine Wiederbenutzung einer Ebene zugeordnet; `tensortide probe` misst sie.</translation>
    </message>
    <message>
        <source>No buffer that is used again streams: {} holds at least one reuse of each.</source>
        <translation>Kein wieder benutzter Puffer strömt: {} fasst mindestens eine Wiederbenutzung jedes Puffers.</translation>
    </message>
    <message>
        <source>{} ({}) {}: each reuse comes after more bytes than {} holds.</source>
        <translation>{} ({}) {}: jede Wiederbenutzung kommt nach mehr Bytes, als {} fasst.</translation>
    </message>
    <message>
        <source>streams</source>
        <translation>strömt</translation>
    </message>
    <message>
        <source>stream</source>
        <translation>strömen</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>buffers</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>No roofs: an imported trace does not hold those of its machine. Record the same work with `tensortide run`, which measures them.</source>
        <translation>Keine Dächer: eine importierte Spur enthält die ihrer Maschine nicht. Zeichne dieselbe Arbeit mit `tensortide run` auf, das sie misst.</translation>
    </message>
    <message>
        <source>No roofs: the GPU was emulated, and an emulation has no bandwidth or peak of its own. Record on a GPU.</source>
        <translation>Keine Dächer: die GPU wurde emuliert, und eine Emulation hat keine eigene Bandbreite oder Spitze. Zeichne auf einer GPU auf.</translation>
    </message>
    <message>
        <source>No roofs: the device null computes nothing that they could bound. Record on the CPU.</source>
        <translation>Keine Dächer: das Gerät null rechnet nichts, was sie begrenzen könnten. Zeichne auf der CPU auf.</translation>
    </message>
    <message>
        <source>No roofs: only the processor&apos;s were measured, and the ops ran on device {}. Record on the CPU.</source>
        <translation>Keine Dächer: nur die des Prozessors wurden gemessen, und die Ops liefen auf dem Gerät {}. Zeichne auf der CPU auf.</translation>
    </message>
    <message>
        <source>No roofs: the probe ran out of time before it measured any. Run `tensortide probe`, then record again.</source>
        <translation>Keine Dächer: der Messung ging die Zeit aus, bevor sie welche maß. Starte `tensortide probe`, dann zeichne neu auf.</translation>
    </message>
    <message>
        <source>No roofs: none were measured before this run. Run `tensortide probe`, then record again.</source>
        <translation>Keine Dächer: vor diesem Lauf wurden keine gemessen. Starte `tensortide probe`, dann zeichne neu auf.</translation>
    </message>
    <message>
        <source>No roofs: the probe ran out of time before it measured those of {}. Run `tensortide probe`, then record again.</source>
        <translation>Keine Dächer: der Messung ging die Zeit aus, bevor sie die von {} maß. Starte `tensortide probe`, dann zeichne neu auf.</translation>
    </message>
    <message>
        <source>No roofs: they were measured for {}, and the ops ran on {}. Measure the roofs with that number, then record again.</source>
        <translation>Keine Dächer: sie wurden für {} gemessen, und die Ops liefen auf {}. Miss die Dächer mit dieser Zahl, dann zeichne neu auf.</translation>
    </message>
    <message>
        <source>{} threads</source>
        <translation>{} Threads</translation>
    </message>
    <message>
        <source>No share of a roof: {}.</source>
        <translation>Kein Anteil an einem Dach: {}.</translation>
    </message>
    <message>
        <source>{} at {} writes</source>
        <translation>{} mit {} Schreibanteil</translation>
    </message>
    <message>
        <source>there</source>
        <translation>dort</translation>
    </message>
    <message>
        <source>in all of them</source>
        <translation>in allen</translation>
    </message>
    <message>
        <source>in {} of them</source>
        <translation>in {} davon</translation>
    </message>
    <message>
        <source>caches served part of those bytes {}; measured or simulated bytes are below the roof</source>
        <translation>Caches lieferten {} einen Teil dieser Bytes; gemessene oder simulierte Bytes liegen unter dem Dach</translation>
    </message>
    <message>
        <source>caches may have served part of those bytes {}, within the model&apos;s error band</source>
        <translation>Caches lieferten {} vielleicht einen Teil dieser Bytes, innerhalb des Fehlerbands des Modells</translation>
    </message>
    <message>
        <source>measured or simulated bytes exceed it too, {}: the roof was measured too low</source>
        <translation>auch gemessene oder simulierte Bytes liegen darüber, {}: das Dach wurde zu niedrig gemessen</translation>
    </message>
    <message>
        <source>the roof has low confidence, or caches served more than modelled</source>
        <translation>ist das Dach wenig verlässlich, oder Caches lieferten mehr als modelliert</translation>
    </message>
    <message>
        <source>caches served more than modelled, or the roof was measured too low</source>
        <translation>lieferten Caches mehr als modelliert, oder das Dach wurde zu niedrig gemessen</translation>
    </message>
    <message>
        <source>the roof also has low confidence</source>
        <translation>das Dach ist außerdem wenig verlässlich</translation>
    </message>
    <message>
        <source>{} traffic (modelled bytes, measured time) is above its measured roof in {} of {} ({}{}: {}, the roof of {} is {}): {}.</source>
        <translation>{}-Verkehr (modellierte Bytes, gemessene Zeit) liegt in {} von {} über seinem gemessenen Dach ({}{}: {}, das Dach bei {} ist {}): {}.</translation>
    </message>
    <message>
        <source>most in </source>
        <translation>am weitesten in </translation>
    </message>
    <message>
        <source> Simulated caches show what caches serve.</source>
        <translation> Simulierte Caches zeigen, was Caches liefern.</translation>
    </message>
    <message>
        <source>{} peak {}</source>
        <translation>{}-Spitze {}</translation>
    </message>
    <message>
        <source>{} in ops (medians, summed) + {} between ops</source>
        <translation>{} in Ops (Summe der Mediane) + {} zwischen Ops</translation>
    </message>
    <message>
        <source> + {} unexplained (step-to-step variation)</source>
        <translation> + {} ungeklärt (Schwankung von Schritt zu Schritt)</translation>
    </message>
    <message>
        <source> - {} unexplained (step-to-step variation)</source>
        <translation> - {} ungeklärt (Schwankung von Schritt zu Schritt)</translation>
    </message>
    <message>
        <source>An imported trace does not hold how its tensors are stored.</source>
        <translation>Eine importierte Spur enthält nicht, wie ihre Tensoren gespeichert sind.</translation>
    </message>
    <message>
        <source>{}: {} no byte.</source>
        <translation>{}: {} kein Byte.</translation>
    </message>
    <message>
        <source>it moves</source>
        <translation>sie bewegt</translation>
    </message>
    <message>
        <source>they move</source>
        <translation>sie bewegen</translation>
    </message>
    <message>
        <source>{} into row-major order: {:.0f} B read and written.</source>
        <translation>{} in Zeilenordnung: {:.0f} B gelesen und geschrieben.</translation>
    </message>
    <message>
        <source>{} not stored in row-major order, such as images with channels last.</source>
        <translation>{} nicht in Zeilenordnung gespeichert, wie etwa Bilder mit den Kanälen zuletzt.</translation>
    </message>
    <message>
        <source>1 tensor is</source>
        <translation>1 Tensor ist</translation>
    </message>
    <message>
        <source>{} tensors are</source>
        <translation>{} Tensoren sind</translation>
    </message>
    <message>
        <source>in place</source>
        <translation>am selben Ort</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>Kopie</translation>
    </message>
    <message>
        <source>own</source>
        <translation>eigene</translation>
    </message>
    <message>
        <source>view</source>
        <translation>Sicht</translation>
    </message>
    <message>
        <source>views</source>
        <translation>Sichten</translation>
    </message>
    <message>
        <source>met: {} of rows fit in half of {}</source>
        <translation>erfüllt: {} an Zeilen passen in die Hälfte von {}</translation>
    </message>
    <message>
        <source>not needed: {} of rows exceed half of {}, but no two windows share a row: the image is read once</source>
        <translation>nicht nötig: {} an Zeilen übersteigen die Hälfte von {}, aber keine zwei Fenster teilen eine Zeile: das Bild wird einmal gelesen</translation>
    </message>
    <message>
        <source>broken: {} of rows exceed half of {}, the image is read {}</source>
        <translation>verletzt: {} an Zeilen übersteigen die Hälfte von {}, das Bild wird {} gelesen</translation>
    </message>
    <message>
        <source>twice</source>
        <translation>zweimal</translation>
    </message>
    <message>
        <source>{:.3g} times</source>
        <translation>{:.3g} mal</translation>
    </message>
    <message>
        <source>; measured: </source>
        <translation>; gemessen: </translation>
    </message>
    <message>
        <source>Not simulated: record with simulated caches</source>
        <translation>Nicht simuliert: zeichne mit simulierten Caches auf</translation>
    </message>
    <message>
        <source>Not measured: the capture holds no hardware counters (`tensortide doctor` says why)</source>
        <translation>Nicht gemessen: die Aufzeichnung enthält keine Zähler der Hardware (`tensortide doctor` sagt, warum)</translation>
    </message>
    <message>
        <source>Misses of loads in steps of more than {} (limit prefetch_stride_bytes): no prefetcher fetches them ahead</source>
        <translation>Fehlzugriffe beim Laden in Schritten von mehr als {} (Schwelle prefetch_stride_bytes): kein Prefetcher holt sie voraus</translation>
    </message>
    <message>
        <source>Least bytes of any loop order into the inner level, from empty: 2mnk/sqrt(S) (arXiv 1702.02017), with windows 2mnk/sqrt(RS) (1911.05662)</source>
        <translation>Die wenigsten Bytes in die innere Ebene, bei jeder Folge der Schleifen, leer begonnen: 2mnk/sqrt(S) (arXiv 1702.02017), mit Fenstern 2mnk/sqrt(RS) (1911.05662)</translation>
    </message>
    <message>
        <source>I/O bound</source>
        <translation>I/O-Grenze</translation>
    </message>
    <message>
        <source>Sim. read</source>
        <translation>Sim. gelesen</translation>
    </message>
    <message>
        <source>Sim. written</source>
        <translation>Sim. geschr.</translation>
    </message>
    <message>
        <source>Far steps</source>
        <translation>Weite Schritte</translation>
    </message>
    <message>
        <source>Launches per step: median over the traced steps it ran in</source>
        <translation>Starts je Schritt: Median über die aufgezeichneten Schritte, in denen er lief</translation>
    </message>
    <message>
        <source>Launches per step: all of the traced steps, by their number</source>
        <translation>Starts je Schritt: Summe aller aufgezeichneten Schritte durch ihre Zahl</translation>
    </message>
    <message>
        <source>Ops per step in this row, views left out</source>
        <translation>Ops je Schritt in dieser Zeile, ohne Sichten</translation>
    </message>
    <message>
        <source>Calls per step: all of the traced steps, by their number; groups: sum of their ops&apos;. Ops called by ops of the same row count too. Of an op that only a graph&apos;s replay ran, its kernels count</source>
        <translation>Aufrufe je Schritt: Summe aller aufgezeichneten Schritte durch ihre Zahl; Gruppen: Summe über ihre Ops. Ops, die von Ops derselben Zeile aufgerufen werden, zählen mit. Bei einem Op, den nur ein wiederholter Graph ausführte, zählen seine Kernel</translation>
    </message>
    <message>
        <source>Path of the layer; its row includes the layers inside</source>
        <translation>Pfad der Schicht; ihre Zeile schließt die Schichten darin ein</translation>
    </message>
    <message>
        <source>Kind of op: all ops of it in one row</source>
        <translation>Art der Op: alle Ops der Art in einer Zeile</translation>
    </message>
    <message>
        <source>Where the ops ran</source>
        <translation>Wo die Ops liefen</translation>
    </message>
    <message>
        <source>Median over the traced steps; groups: sum of their ops&apos; medians</source>
        <translation>Median über die aufgezeichneten Schritte; Gruppen: Summe der Mediane ihrer Ops</translation>
    </message>
    <message>
        <source>Mean over all traced steps, so that the rows add up to the time of a step</source>
        <translation>Mittel über alle aufgezeichneten Schritte, sodass die Zeilen die Zeit eines Schritts ergeben</translation>
    </message>
    <message>
        <source>Bytes to and from </source>
        <translation>Bytes vom und zum </translation>
    </message>
    <message>
        <source>, line fills and write-backs included; &quot;Bytes are&quot; is their origin. </source>
        <translation>, mit dem Füllen und Zurückschreiben von Zeilen; „Bytes sind“ nennt ihre Herkunft. </translation>
    </message>
    <message>
        <source> bytes / compulsory bytes</source>
        <translation> Bytes / zwingende Bytes</translation>
    </message>
    <message>
        <source>{} ({:.0f} % of the time)</source>
        <translation>{} ({:.0f} % der Zeit)</translation>
    </message>
    <message>
        <source>The limit is unknown: the trace does not hold the roofs of its machine. Most time goes to {} ({}).</source>
        <translation>Die Grenze ist unbekannt: die Spur enthält die Dächer ihrer Maschine nicht. Die meiste Zeit brauchen: {} ({}).</translation>
    </message>
    <message>
        <source>The limit is unknown: roofs of {} are not measured. Most time goes to {} ({}).</source>
        <translation>Die Grenze ist unbekannt: Dächer von {} werden nicht gemessen. Die meiste Zeit brauchen: {} ({}).</translation>
    </message>
    <message>
        <source>The limit is unknown: this machine&apos;s roofs were not measured. Most time goes to {} ({}).</source>
        <translation>Die Grenze ist unbekannt: die Dächer dieser Maschine wurden nicht gemessen. Die meiste Zeit brauchen: {} ({}).</translation>
    </message>
    <message>
        <source>Nothing was computed: no tensor has elements.</source>
        <translation>Nichts wurde berechnet: Kein Tensor hat Elemente.</translation>
    </message>
    <message>
        <source>The limit of {} ({}) is unknown: see the reason at each op.</source>
        <translation>Die Grenze ist unbekannt: {} ({}). Den Grund nennt jede Op.</translation>
    </message>
    <message>
        <source>Probably </source>
        <translation>Wahrscheinlich </translation>
    </message>
    <message>
        <source>Limited</source>
        <translation>Begrenzt</translation>
    </message>
    <message>
        <source>limited</source>
        <translation>begrenzt</translation>
    </message>
    <message>
        <source>{} contradict each other in {} ({}): probe again on a quiet machine.</source>
        <translation>{} widersprechen einander ({}, {}): miss die Dächer auf einer ruhigen Maschine neu.</translation>
    </message>
    <message>
        <source>Most ops are too short to judge: {} ({}).</source>
        <translation>Die meisten Ops sind zu kurz für ein Urteil: {} ({}).</translation>
    </message>
    <message>
        <source>{}{} by kernel inefficiency: {} ({}) at {} of the nearest roof, {}.</source>
        <translation>{}{} durch ineffiziente Kernel: {} ({}) bei {} des nächsten Dachs, {}.</translation>
    </message>
    <message>
        <source>{}{} by {} in {} ({}).</source>
        <translation>{}{} durch {}: {} ({}).</translation>
    </message>
    <message>
        <source>No change is proposed: the limit is unknown.</source>
        <translation>Keine Änderung wird vorgeschlagen: die Grenze ist unbekannt.</translation>
    </message>
    <message>
        <source>Run `tensortide probe` to measure this machine&apos;s roofs, then record again.</source>
        <translation>Starte `tensortide probe`, um die Dächer dieser Maschine zu messen, dann zeichne neu auf.</translation>
    </message>
    <message>
        <source>No change is proposed: most ops are too short to judge.</source>
        <translation>Keine Änderung wird vorgeschlagen: die meisten Ops sind zu kurz für ein Urteil.</translation>
    </message>
    <message>
        <source>at {} of its roof</source>
        <translation>bei {} des Dachs</translation>
    </message>
    <message>
        <source>`--fuse on` may help: the kernels of {} run below their roofs.</source>
        <translation>`--fuse on` hilft vielleicht: Die Kernel von {} laufen unter ihren Dächern.</translation>
    </message>
    <message>
        <source>No change is proposed: the kernels of {} run below their roofs.</source>
        <translation>Keine Änderung wird vorgeschlagen: Die Kernel von {} laufen unter ihren Dächern.</translation>
    </message>
    <message>
        <source> Record with `--collect simulate` to see whether cache misses explain it.</source>
        <translation> Nehmen Sie mit `--collect simulate` auf, um zu sehen, ob Cache-Fehlzugriffe es erklären.</translation>
    </message>
    <message>
        <source> For memory: </source>
        <translation> Für den Speicher: </translation>
    </message>
    <message>
        <source>No change is proposed: {} {} limited by {}{}.</source>
        <translation>Keine Änderung wird vorgeschlagen: {} {} begrenzt durch {}{}.</translation>
    </message>
    <message>
        <source>Time, roofs and bytes</source>
        <translation>Zeit, Dächer und Bytes</translation>
    </message>
    <message>
        <source>Time, roofs and {} bytes</source>
        <translation>Zeit, Dächer und Bytes ({})</translation>
    </message>
    <message>
        <source>Time and the roof of arithmetic</source>
        <translation>Zeit und das Dach der Arithmetik</translation>
    </message>
    <message>
        <source>Unknown: the GPU was emulated.</source>
        <translation>Unbekannt: die GPU wurde emuliert.</translation>
    </message>
    <message>
        <source>Record on a GPU to see what limits it.</source>
        <translation>Zeichne auf einer GPU auf, um zu sehen, was begrenzt.</translation>
    </message>
    <message>
        <source>Nothing was computed: the null device runs no kernel. Its step is the cost of dispatch and tracing.</source>
        <translation>Nichts wurde gerechnet: das Gerät null führt keinen Kernel aus. Sein Schritt ist, was Verteilung und Aufzeichnung kosten.</translation>
    </message>
    <message>
        <source>Run on the CPU to see what the ops cost.</source>
        <translation>Führe ihn auf der CPU aus, um zu sehen, was die Ops kosten.</translation>
    </message>
    <message>
        <source>Not run yet: shapes, FLOPs and bytes are exact, times and limits are unknown.</source>
        <translation>Noch nicht gelaufen: Formen, FLOPs und Bytes sind exakt, Zeiten und Grenzen unbekannt.</translation>
    </message>
    <message>
        <source>Run it to measure where the time goes.</source>
        <translation>Starte ihn, um zu messen, wohin die Zeit geht.</translation>
    </message>
    <message>
        <source>No op was timed, so limits are unknown.</source>
        <translation>Keine Op wurde gemessen, also sind die Grenzen unbekannt.</translation>
    </message>
    <message>
        <source> Of the rest: </source>
        <translation> Vom Rest: </translation>
    </message>
    <message>
        <source> Of the rest:</source>
        <translation> Vom Rest:</translation>
    </message>
    <message>
        <source>First record again on a quiet machine.</source>
        <translation>Zeichne zuerst auf einer ruhigen Maschine neu auf.</translation>
    </message>
    <message>
        <source>{}. Of the rest: {}</source>
        <translation>{}. Vom Rest: {}</translation>
    </message>
    <message>
        <source> passes outside all ops</source>
        <translation> vergehen außerhalb aller Ops</translation>
    </message>
    <message>
        <source>The {} idles {}</source>
        <translation>{} im Leerlauf: {}</translation>
    </message>
    <message>
        <source>other type</source>
        <translation>weiterer Typ</translation>
    </message>
    <message>
        <source>other types</source>
        <translation>weitere Typen</translation>
    </message>
    <message>
        <source>1 point has</source>
        <translation>1 Punkt hat</translation>
    </message>
    <message>
        <source>{} points have</source>
        <translation>{} Punkte haben</translation>
    </message>
    <message>
        <source>{} of {} no bytes at its level, and so no intensity: there arithmetic alone is the roof.</source>
        <translation>{} von {} keine Bytes auf ihrer Ebene und damit keine Intensität: dort ist allein die Arithmetik das Dach.</translation>
    </message>
    <message>
        <source>{} of {} no bytes at their level, and so no intensity: there arithmetic alone is the roof.</source>
        <translation>{} von {} keine Bytes auf ihrer Ebene und damit keine Intensität: dort ist allein die Arithmetik das Dach.</translation>
    </message>
    <message>
        <source>{} without FLOPs {} not listed.</source>
        <translation>{} ohne FLOPs {} nicht aufgeführt.</translation>
    </message>
    <message>
        <source>Live tensors are unknown: an imported trace does not hold their lifetimes.</source>
        <translation>Lebende Tensoren sind unbekannt: eine importierte Spur enthält nicht, wie lange sie leben.</translation>
    </message>
    <message>
        <source>This run loaded no data while it was recorded.</source>
        <translation>Dieser Lauf lud keine Daten, während er aufgezeichnet wurde.</translation>
    </message>
    <message>
        <source>No rows: no work or copies of a GPU were recorded.</source>
        <translation>Keine Zeilen: es wurden keine Arbeit und keine Kopien einer GPU aufgezeichnet.</translation>
    </message>
    <message>
        <source>No rows: no step, op, call or work of a GPU has a time.</source>
        <translation>Keine Zeilen: kein Schritt, keine Op, kein Aufruf und keine Arbeit einer GPU hat eine Zeit.</translation>
    </message>
    <message>
        <source>No rows: no op and no call has a time.</source>
        <translation>Keine Zeilen: keine Op und kein Aufruf hat eine Zeit.</translation>
    </message>
    <message>
        <source>No rows: no calls of a GPU&apos;s runtime or driver were recorded.</source>
        <translation>Keine Zeilen: es wurden keine Aufrufe von Runtime oder Treiber einer GPU aufgezeichnet.</translation>
    </message>
    <message>
        <source>No rows: no named ranges were recorded.</source>
        <translation>Keine Zeilen: es wurden keine benannten Bereiche aufgezeichnet.</translation>
    </message>
    <message>
        <source>No rows: no communication was recorded: no kernel of NCCL, RCCL or their like, and no collective.</source>
        <translation>Keine Zeilen: es wurde keine Kommunikation aufgezeichnet: kein Kernel von NCCL, RCCL oder Ähnlichem, und kein Kollektiv.</translation>
    </message>
    <message>
        <source>No rows: the trace holds neither the caches of its machine nor the shapes of all ops.</source>
        <translation>Keine Zeilen: die Spur enthält weder die Caches ihrer Maschine noch die Formen aller Ops.</translation>
    </message>
    <message>
        <source>No rows: no caches were simulated; record with simulated caches.</source>
        <translation>Keine Zeilen: es wurden keine Caches simuliert; zeichne mit simulierten Caches auf.</translation>
    </message>
    <message>
        <source>No rows: ops of an imported trace are not simulated.</source>
        <translation>Keine Zeilen: Ops einer importierten Spur werden nicht simuliert.</translation>
    </message>
    <message>
        <source>No rows: no op reads what another op wrote.</source>
        <translation>Keine Zeilen: keine Op liest, was eine andere schrieb.</translation>
    </message>
    <message>
        <source>No rows: </source>
        <translation>Keine Zeilen: </translation>
    </message>
    <message>
        <source>No rows: no op was recorded.</source>
        <translation>Keine Zeilen: es wurde keine Op aufgezeichnet.</translation>
    </message>
    <message>
        <source>No rows: an imported trace does not hold the operands of its ops.</source>
        <translation>Keine Zeilen: eine importierte Spur enthält nicht die Operanden ihrer Ops.</translation>
    </message>
    <message>
        <source>No rows: the resident memory of the process was not recorded; record the run again.</source>
        <translation>Keine Zeilen: der residente Speicher des Prozesses wurde nicht aufgezeichnet; zeichne den Lauf neu auf.</translation>
    </message>
    <message>
        <source>No rows: an imported trace does not hold the resident memory of its process.</source>
        <translation>Keine Zeilen: eine importierte Spur enthält nicht den residenten Speicher ihres Prozesses.</translation>
    </message>
    <message>
        <source>No rows: no traced step has known ops.</source>
        <translation>Keine Zeilen: kein aufgezeichneter Schritt hat bekannte Ops.</translation>
    </message>
    <message>
        <source>No rows: the run has no tokens, whose phase and context it would have been recorded with.</source>
        <translation>Keine Zeilen: der Lauf hat keine Tokens, mit deren Phase und Kontext er aufgezeichnet worden wäre.</translation>
    </message>
    <message>
        <source>No rows: no op is a chain of dependent loads or multiply-adds.</source>
        <translation>Keine Zeilen: keine Op ist eine Kette abhängiger Ladebefehle oder Multiply-Adds.</translation>
    </message>
    <message>
        <source>No rows: no op has a branch for each element.</source>
        <translation>Keine Zeilen: keine Op hat eine Verzweigung für jedes Element.</translation>
    </message>
    <message>
        <source>No rows: no two layers put out the same from the same tensors.</source>
        <translation>Keine Zeilen: keine zwei Schichten geben aus denselben Tensoren dasselbe aus.</translation>
    </message>
    <message>
        <source>No rows: no op has known FLOPs, bytes and a time.</source>
        <translation>Keine Zeilen: keine Op hat bekannte FLOPs, Bytes und eine Zeit.</translation>
    </message>
    <message>
        <source>The step in short: time, bytes, limits, advice</source>
        <translation>Der Schritt in Kürze: Zeit, Bytes, Grenzen, Rat</translation>
    </message>
    <message>
        <source>Time, bytes and limit of each op, or of each group of ops</source>
        <translation>Zeit, Bytes und Grenze jeder Op oder jeder Gruppe von Ops</translation>
    </message>
    <message>
        <source>Bytes between memory levels, by role</source>
        <translation>Bytes zwischen Speicherebenen, nach Rolle</translation>
    </message>
    <message>
        <source>Bytes, hits and misses of each op at each level</source>
        <translation>Bytes, Treffer und Fehlzugriffe jeder Op auf jeder Ebene</translation>
    </message>
    <message>
        <source>Simulated bytes of each op, by tensor</source>
        <translation>Simulierte Bytes jeder Op, nach Tensor</translation>
    </message>
    <message>
        <source>Intensity, FLOP/s and roof of each op</source>
        <translation>Intensität, FLOP/s und Dach jeder Op</translation>
    </message>
    <message>
        <source>Bandwidths and arithmetic peaks of the machine</source>
        <translation>Bandbreiten und Rechenspitzen der Maschine</translation>
    </message>
    <message>
        <source>Live bytes at each op, by role</source>
        <translation>Lebende Bytes bei jeder Op, nach Rolle</translation>
    </message>
    <message>
        <source>Each tensor with its device, type, shape, role and bytes</source>
        <translation>Jeder Tensor mit Gerät, Typ, Form, Rolle und Bytes</translation>
    </message>
    <message>
        <source>The limit of each op, and why</source>
        <translation>Die Grenze jeder Op, und warum</translation>
    </message>
    <message>
        <source>Changes to try, with their potential savings</source>
        <translation>Änderungen zum Versuchen, mit dem möglichen Gewinn</translation>
    </message>
    <message>
        <source>Thresholds of verdicts and findings</source>
        <translation>Schwellen für Urteile und Befunde</translation>
    </message>
    <message>
        <source>Copies to and from GPUs, by tensor and reason</source>
        <translation>Kopien zu und von GPUs, nach Tensor und Grund</translation>
    </message>
    <message>
        <source>Time per copy and bandwidth of links to GPUs</source>
        <translation>Zeit je Kopie und Bandbreite der Verbindungen zu GPUs</translation>
    </message>
    <message>
        <source>What GPUs do at once: compute, communicate, copy, wait</source>
        <translation>Was GPUs zugleich tun: rechnen, kommunizieren, kopieren, warten</translation>
    </message>
    <message>
        <source>Collectives: time, exposed time, bandwidths, skew of ranks</source>
        <translation>Kollektive: Zeit, freiliegende Zeit, Bandbreiten, Versatz der Ränge</translation>
    </message>
    <message>
        <source>Each collective call with its step, layer and ranks</source>
        <translation>Jeder Aufruf eines Kollektivs mit Schritt, Schicht und Rängen</translation>
    </message>
    <message>
        <source>The chain of work and waits that a step is as long as</source>
        <translation>Die Kette von Arbeit und Warten, die so lang ist wie ein Schritt</translation>
    </message>
    <message>
        <source>Durations of each kernel: mean, least, median, most</source>
        <translation>Dauern jedes Kernels: Mittel, kürzeste, Median, längste</translation>
    </message>
    <message>
        <source>Kernels that each op launched: grid, blocks, threads</source>
        <translation>Kernel, die jede Op startete: Grid, Blöcke, Threads</translation>
    </message>
    <message>
        <source>How the durations of ops and calls are distributed</source>
        <translation>Wie die Dauern von Ops und Aufrufen verteilt sind</translation>
    </message>
    <message>
        <source>Durations of each call of the CUDA runtime and driver</source>
        <translation>Dauern jedes Aufrufs von CUDA-Runtime und Treiber</translation>
    </message>
    <message>
        <source>Named ranges (NVTX, record_function, spans): total, self, nesting</source>
        <translation>Benannte Bereiche (NVTX, record_function, Spans): Summe, eigene Zeit, Schachtelung</translation>
    </message>
    <message>
        <source>Work launched and not begun, by stream</source>
        <translation>Gestartete und noch nicht begonnene Arbeit, je Stream</translation>
    </message>
    <message>
        <source>Lanes of the data loader</source>
        <translation>Spuren des Data-Loaders</translation>
    </message>
    <message>
        <source>Chains of dependent operations: ns each, operations per second</source>
        <translation>Ketten abhängiger Operationen: ns je Stück, Operationen je Sekunde</translation>
    </message>
    <message>
        <source>Lanes in lockstep: work done against work kept, predicted and measured factor</source>
        <translation>Bahnen im Gleichschritt: getane gegen behaltene Arbeit, vorhergesagter und gemessener Faktor</translation>
    </message>
    <message>
        <source>What a step put out: checksum, range, mean, norm</source>
        <translation>Was ein Schritt ausgab: Prüfsumme, Wertebereich, Mittel, Norm</translation>
    </message>
    <message>
        <source>Loads, stores and branches of each op&apos;s loops, per multiply-add</source>
        <translation>Lade- und Schreibbefehle und Sprünge der Schleifen jeder Op, je Multiply-Add</translation>
    </message>
    <message>
        <source>Layers that compute the same: speed-up, rate, error, tensors, library</source>
        <translation>Schichten, die dasselbe rechnen: Beschleunigung, Rate, Fehler, Tensoren, Bibliothek</translation>
    </message>
    <message>
        <source>Bytes touched from one use of each buffer to the next</source>
        <translation>Bytes, die zwischen zwei Benutzungen jedes Puffers berührt werden</translation>
    </message>
    <message>
        <source>Bytes of a step off the chip, over the memory on it</source>
        <translation>Bytes eines Schritts außerhalb des Chips, über dem Speicher darauf</translation>
    </message>
    <message>
        <source>Resident bytes of the process: tensors, files, and what has no owner</source>
        <translation>Residente Bytes des Prozesses: Tensoren, Dateien und was keinen Besitzer hat</translation>
    </message>
    <message>
        <source>Whether each step runs the same ops in the same order</source>
        <translation>Ob jeder Schritt dieselben Ops in derselben Reihenfolge ausführt</translation>
    </message>
    <message>
        <source>Tensors that one op writes and another reads</source>
        <translation>Tensoren, die eine Op schreibt und eine andere liest</translation>
    </message>
    <message>
        <source>What each op stores and frees, and what is kept for the backward pass</source>
        <translation>Was jede Op speichert und freigibt, und was für den Rückwärtslauf behalten wird</translation>
    </message>
    <message>
        <source>A language model&apos;s step by its tokens: rate and bytes of each</source>
        <translation>Der Schritt eines Sprachmodells nach Tokens: Rate und Bytes je Token</translation>
    </message>
    <message>
        <source>Pairs of ops: fused or not, and why</source>
        <translation>Paare von Ops: verschmolzen oder nicht, und warum</translation>
    </message>
    <message>
        <source>Bytes and dispatches that each fused op saves</source>
        <translation>Bytes und Starts, die jede verschmolzene Op spart</translation>
    </message>
    <message>
        <source>Shape, strides and offset of each tensor, whose bytes, bytes moved</source>
        <translation>Form, Schrittweiten und Versatz jedes Tensors, wessen Bytes, bewegte Bytes</translation>
    </message>
    <message>
        <source>Each tensor of a step: least, largest, mean, NaN, histogram (--collect values)</source>
        <translation>Jeder Tensor eines Schritts: kleinster, größter, Mittel, NaN, Histogramm (--collect values)</translation>
    </message>
    <message>
        <source>No rows: no ops were recorded, only what the timeline shows.</source>
        <translation>Keine Zeilen: es wurden keine Ops aufgezeichnet, nur was die Zeitleiste zeigt.</translation>
    </message>
    <message>
        <source>No rows.</source>
        <translation>Keine Zeilen.</translation>
    </message>
    <message>
        <source>data sheet</source>
        <translation>Datenblatt</translation>
    </message>
    <message>
        <source>the roof of {}</source>
        <translation>das Dach von {}</translation>
    </message>
    <message>
        <source>Mean over all traced steps</source>
        <translation>Mittel über alle aufgezeichneten Schritte</translation>
    </message>
    <message>
        <source>firm</source>
        <translation>sicher</translation>
    </message>
    <message>
        <source>Meas. read</source>
        <translation>Gem. gelesen</translation>
    </message>
    <message>
        <source>Meas. written</source>
        <translation>Gem. geschr.</translation>
    </message>
    <message>
        <source>device memory</source>
        <translation>Gerätespeicher</translation>
    </message>
    <message>
        <source>Live bytes of this role</source>
        <translation>Lebende Bytes dieser Rolle</translation>
    </message>
    <message>
        <source>Live bytes in the memory of this device; the roles are over all devices</source>
        <translation>Lebende Bytes im Speicher dieses Geräts; die Rollen gelten über alle Geräte</translation>
    </message>
    <message>
        <source>An imported trace does not hold when tensors are stored and freed.</source>
        <translation>Eine importierte Spur enthält nicht, wann Tensoren gespeichert und freigegeben werden.</translation>
    </message>
    <message>
        <source>The capture holds no tensors.</source>
        <translation>Die Aufzeichnung enthält keine Tensoren.</translation>
    </message>
    <message>
        <source>op {} (node {}, layer {})</source>
        <translation>Op {} (Knoten {}, Schicht {})</translation>
    </message>
    <message>
        <source>An imported trace holds no values.</source>
        <translation>Eine importierte Spur enthält keine Werte.</translation>
    </message>
    <message>
        <source>The null device computes nothing.</source>
        <translation>Das Gerät null rechnet nichts.</translation>
    </message>
    <message>
        <source>The run did not keep values; record it with the collector values.</source>
        <translation>Der Lauf behielt keine Werte; zeichne ihn mit dem Sammler Werte auf.</translation>
    </message>
    <message>
        <source>All values of {} are finite.</source>
        <translation>Alle Werte von {} sind endlich.</translation>
    </message>
    <message>
        <source>NaN or infinity first appears in {}: its operands were finite.</source>
        <translation>NaN oder Unendlich tritt zuerst in {} auf: die Operanden waren endlich.</translation>
    </message>
    <message>
        <source>Where NaN or infinity began is unknown: an op that put some out reads values that were not kept.</source>
        <translation>Wo NaN oder Unendlich begann, ist unbekannt: eine Op, die welche ausgab, liest Werte, die nicht behalten wurden.</translation>
    </message>
    <message>
        <source>NaN or infinity was there before the step: in an input, a weight or a state.</source>
        <translation>NaN oder Unendlich war schon vor dem Schritt da: in einer Eingabe, einem Gewicht oder einem Zustand.</translation>
    </message>
    <message>
        <source>Of {} tensors {} evenly spread values are kept. Their range and mean are of all values, the histogram is of those kept.</source>
        <translation>Von {} Tensoren sind je {} gleichmäßig verteilte Werte behalten. Bereich und Mittel gelten für alle Werte, das Histogramm für die behaltenen.</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>Tensor</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>Tensoren</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>time to first token</source>
        <translation>Zeit bis zum ersten Token</translation>
    </message>
    <message>
        <source>weights read</source>
        <translation>Gewichte gelesen</translation>
    </message>
    <message>
        <source>cache read</source>
        <translation>Cache gelesen</translation>
    </message>
    <message>
        <source>cache written</source>
        <translation>Cache geschrieben</translation>
    </message>
    <message>
        <source>activations and the rest</source>
        <translation>Aktivierungen und der Rest</translation>
    </message>
    <message>
        <source>all compulsory bytes</source>
        <translation>alle zwingenden Bytes</translation>
    </message>
    <message>
        <source>{} tokens/s, {} per token</source>
        <translation>{} Tokens/s, {} je Token</translation>
    </message>
    <message>
        <source>, first token after {}</source>
        <translation>, erstes Token nach {}</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>Decode</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>{} sequences share each read of the weights, none shares its cache.</source>
        <translation>{} Sequenzen teilen sich jedes Lesen der Gewichte, keine teilt ihren Cache.</translation>
    </message>
    <message>
        <source>Not measured: the capture holds no hardware counters (`tensortide doctor` says why).</source>
        <translation>Nicht gemessen: die Aufzeichnung enthält keine Zähler der Hardware (`tensortide doctor` sagt, warum).</translation>
    </message>
    <message>
        <source>launches</source>
        <translation>Starts</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>Kopien</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>Arithmetik</translation>
    </message>
    <message>
        <source>L2 bandwidth</source>
        <translation>L2-Bandbreite</translation>
    </message>
    <message>
        <source>device memory bandwidth</source>
        <translation>Bandbreite des Gerätespeichers</translation>
    </message>
    <message>
        <source>balance of arithmetic and L2</source>
        <translation>Arithmetik und L2 ausgewogen</translation>
    </message>
    <message>
        <source>balance of arithmetic and memory</source>
        <translation>Arithmetik und Speicher ausgewogen</translation>
    </message>
    <message>
        <source>too small a grid</source>
        <translation>zu kleines Grid</translation>
    </message>
    <message>
        <source>{} bandwidth</source>
        <translation>{}-Bandbreite</translation>
    </message>
    <message>
        <source>the roofs of this machine are unknown: run `tensortide probe`, then record again</source>
        <translation>die Dächer dieser Maschine sind unbekannt: starte `tensortide probe`, dann zeichne neu auf</translation>
    </message>
    <message>
        <source>the probe ran out of time before it measured {} at {}: run `tensortide probe`, then record again</source>
        <translation>der Messung ging die Zeit aus, bevor sie {} bei {} maß: starte `tensortide probe`, dann zeichne neu auf</translation>
    </message>
    <message>
        <source>the probe has no roof for {} at {}: measure the roofs with that number of threads, then record again</source>
        <translation>die Messung hat kein Dach für {} bei {}: miss die Dächer mit dieser Zahl von Threads, dann zeichne neu auf</translation>
    </message>
    <message>
        <source>an older version probed this machine and measured no arithmetic of 8-bit integers: run `tensortide probe`, then record again</source>
        <translation>eine ältere Version hat diese Maschine vermessen und keine Arithmetik mit 8-Bit-Ganzzahlen gemessen: führe `tensortide probe` aus und nimm dann neu auf</translation>
    </message>
    <message>
        <source>roofs were measured on the processor, but the ops ran on device {}</source>
        <translation>Dächer wurden auf dem Prozessor gemessen, aber die Ops liefen auf dem Gerät {}</translation>
    </message>
    <message>
        <source>roofs of {} are not measured</source>
        <translation>Dächer von {} werden nicht gemessen</translation>
    </message>
    <message>
        <source>the trace does not hold the {} of this op</source>
        <translation>die Spur enthält nicht die {} dieser Op</translation>
    </message>
    <message>
        <source>shapes of all tensors</source>
        <translation>Formen aller Tensoren</translation>
    </message>
    <message>
        <source>{} arithmetic</source>
        <translation>{}-Arithmetik</translation>
    </message>
    <message>
        <source>latency of misses</source>
        <translation>Latenz der Fehlzugriffe</translation>
    </message>
    <message>
        <source>{} latency</source>
        <translation>{}-Latenz</translation>
    </message>
    <message>
        <source>balance of arithmetic and {} bandwidth</source>
        <translation>Arithmetik und {}-Bandbreite ausgewogen</translation>
    </message>
    <message>
        <source>starting the threads</source>
        <translation>Start der Threads</translation>
    </message>
    <message>
        <source>timer noise</source>
        <translation>Rauschen der Zeitmessung</translation>
    </message>
    <message>
        <source>less than 1 %</source>
        <translation>weniger als 1 %</translation>
    </message>
    <message>
        <source>mostly </source>
        <translation>überwiegend </translation>
    </message>
    <message>
        <source>bound by stores</source>
        <translation>vom Schreiben begrenzt</translation>
    </message>
    <message>
        <source>{}memory-bound at {}</source>
        <translation>{}vom Speicher begrenzt ({})</translation>
    </message>
    <message>
        <source>latency-bound by multiply-adds</source>
        <translation>von der Latenz der Multiply-Adds begrenzt</translation>
    </message>
    <message>
        <source>latency-bound</source>
        <translation>von der Latenz begrenzt</translation>
    </message>
    <message>
        <source>latency-bound at {}</source>
        <translation>von der Latenz begrenzt ({})</translation>
    </message>
    <message>
        <source>compute-bound</source>
        <translation>von der Arithmetik begrenzt</translation>
    </message>
    <message>
        <source>{}balanced between compute and {}</source>
        <translation>{}ausgewogen zwischen Arithmetik und {}</translation>
    </message>
    <message>
        <source>dispatch-bound</source>
        <translation>von der Verteilung begrenzt</translation>
    </message>
    <message>
        <source>too short to judge</source>
        <translation>zu kurz für ein Urteil</translation>
    </message>
    <message>
        <source>inconsistent: faster than its roofs</source>
        <translation>widersprüchlich: schneller, als die Dächer erlauben</translation>
    </message>
    <message>
        <source>transfer-bound</source>
        <translation>von Übertragungen begrenzt</translation>
    </message>
    <message>
        <source>launch-bound</source>
        <translation>von Starts begrenzt</translation>
    </message>
    <message>
        <source>nothing to compute</source>
        <translation>nichts zu berechnen</translation>
    </message>
    <message>
        <source>view: costs nothing</source>
        <translation>Sicht: kostet nichts</translation>
    </message>
    <message>
        <source>arithmetic and </source>
        <translation>Arithmetik und Bandbreite von </translation>
    </message>
    <message>
        <source> bandwidth alike</source>
        <translation> gleichermaßen</translation>
    </message>
    <message>
        <source>starting threads</source>
        <translation>Start der Threads</translation>
    </message>
    <message>
        <source>copies with nothing beside them</source>
        <translation>Kopien ohne Arbeit daneben</translation>
    </message>
    <message>
        <source>launching kernels</source>
        <translation>Starten von Kerneln</translation>
    </message>
    <message>
        <source>grids too small for the GPU</source>
        <translation>zu kleine Grids für die GPU</translation>
    </message>
    <message>
        <source>communication between GPUs</source>
        <translation>Kommunikation zwischen GPUs</translation>
    </message>
    <message>
        <source>sleeping threads</source>
        <translation>schlafende Threads</translation>
    </message>
    <message>
        <source>waiting for data</source>
        <translation>Warten auf Daten</translation>
    </message>
    <message>
        <source>waiting for data ({})</source>
        <translation>Warten auf Daten ({})</translation>
    </message>
    <message>
        <source>time stamps too coarse</source>
        <translation>zu grobe Zeitstempel</translation>
    </message>
    <message>
        <source>inconsistent figures</source>
        <translation>widersprüchliche Zahlen</translation>
    </message>
    <message>
        <source> (likely)</source>
        <translation> (wahrscheinlich)</translation>
    </message>
    <message>
        <source>conflict misses: in a fully associative {1}, {0} of the missing lines would hit (simulated). Strides of a power of two cause this: other row lengths or padding can help</source>
        <translation>Konflikte: in einem vollassoziativen {1} träfen {0} der verfehlten Zeilen (simuliert). Schrittweiten einer Zweierpotenz verursachen das: andere Längen der Tensorzeilen oder Padding können helfen</translation>
    </message>
    <message>
        <source>reuse lost: {:.1f} times the compulsory bytes cross</source>
        <translation>Wiederbenutzung verloren: {:.1f} mal die zwingenden Bytes queren</translation>
    </message>
    <message>
        <source>{}, because its footprint (distinct bytes) of {} exceeds the {} of {}</source>
        <translation>{}, weil der Bedarf (verschiedene Bytes) von {} die {} von {} übersteigt</translation>
    </message>
    <message>
        <source>{}, though its footprint (distinct bytes) of {} is no larger than the {} of {}</source>
        <translation>{}, obwohl der Bedarf (verschiedene Bytes) von {} nicht größer ist als die {} von {}</translation>
    </message>
    <message>
        <source>its compulsory bytes alone take that long: only fusion or a smaller dtype can help</source>
        <translation>schon die zwingenden Bytes dauern so lang: nur Fusion oder ein kleinerer Datentyp kann helfen</translation>
    </message>
    <message>
        <source>compulsory: mostly weights, so only a bigger batch or a smaller dtype can help</source>
        <translation>zwingend: überwiegend Gewichte, also kann nur ein größerer Batch oder ein kleinerer Datentyp helfen</translation>
    </message>
    <message>
        <source>compulsory: only fusion or a smaller dtype can help</source>
        <translation>zwingend: nur Fusion oder ein kleinerer Datentyp kann helfen</translation>
    </message>
    <message>
        <source>write-allocate: {} of the bytes are lines fetched only to be overwritten; {} would save them</source>
        <translation>Write-Allocate: {} der Bytes sind Zeilen, die nur geholt werden, um überschrieben zu werden; {} würde sie sparen</translation>
    </message>
    <message>
        <source>non-temporal stores</source>
        <translation>Schreiben an den Caches vorbei (non-temporal)</translation>
    </message>
    <message>
        <source>computing in place</source>
        <translation>Rechnen am selben Ort</translation>
    </message>
    <message>
        <source>runs on {} of {}: shared among all, its roofs would allow up to {}</source>
        <translation>läuft auf {} von {}: auf alle verteilt, würden die Dächer bis zu {} erlauben</translation>
    </message>
    <message>
        <source>uncoalesced: 32 neighbours of the result read {} in {} sectors of {} bytes where {} suffice (modelled from strides; limit {} times). Another layout can help</source>
        <translation>nicht zusammengefasst (uncoalesced): 32 Nachbarn des Ergebnisses lesen {} in {} Sektoren von {} Bytes, wo {} genügen (aus Schrittweiten modelliert; Schwelle {} mal). Ein anderes Layout kann helfen</translation>
    </message>
    <message>
        <source>reuse lost: {:.1f} times the compulsory bytes cross from L2 ({}): larger tiles in shared memory and registers can help</source>
        <translation>Wiederbenutzung verloren: {:.1f} mal die zwingenden Bytes queren von L2 ({}): größere Kacheln in Shared Memory und Registern können helfen</translation>
    </message>
    <message>
        <source>reuse lost: {:.1f} times the compulsory bytes cross from device memory ({}){}</source>
        <translation>Wiederbenutzung verloren: {:.1f} mal die zwingenden Bytes queren vom Gerätespeicher ({}){}</translation>
    </message>
    <message>
        <source>, because the operands&apos; {} exceed the {} of L2</source>
        <translation>, weil die {} der Operanden die {} von L2 übersteigen</translation>
    </message>
    <message>
        <source>too little work per thread: a bigger batch, fusion or fewer threads can help</source>
        <translation>zu wenig Arbeit je Thread: ein größerer Batch, Fusion oder weniger Threads können helfen</translation>
    </message>
    <message>
        <source>the kernel uses {} of its nearest roof, {}</source>
        <translation>der Kernel nutzt {} seines nächsten Dachs, {}</translation>
    </message>
    <message>
        <source>a chain of loads: several chains at once can help</source>
        <translation>eine Kette von Ladezugriffen: mehrere Ketten zugleich können helfen</translation>
    </message>
    <message>
        <source>a chain of loads: several chains at once, or a working set that fits a nearer cache, can help</source>
        <translation>eine Kette von Ladezugriffen: mehrere Ketten zugleich, oder eine Arbeitsmenge, die in einen näheren Cache passt, können helfen</translation>
    </message>
    <message>
        <source>a chain of multiply-adds: more independent chains in flight can help</source>
        <translation>eine Kette von Multiply-Adds: mehr unabhängige Ketten unterwegs können helfen</translation>
    </message>
    <message>
        <source>strided or random access: a layout in which the op walks memory in order can help</source>
        <translation>verstreute Zugriffe, oder solche mit Schrittweiten: ein Layout, in dem die Op den Speicher der Reihe nach durchläuft, kann helfen</translation>
    </message>
    <message>
        <source>copies that overlap nothing: copy the next input while this one is computed</source>
        <translation>Kopien, die nichts überlappen: kopiere die nächste Eingabe, während diese gerechnet wird</translation>
    </message>
    <message>
        <source>communication that overlaps nothing: start it earlier beside other work, or send fewer bytes</source>
        <translation>Kommunikation, die nichts überlappt: beginne sie früher neben anderer Arbeit, oder sende weniger Bytes</translation>
    </message>
    <message>
        <source>communication, mostly beside work that computes</source>
        <translation>Kommunikation, überwiegend neben Arbeit, die rechnet</translation>
    </message>
    <message>
        <source>kernels shorter than the calls that launch them: fusion, a CUDA graph or a bigger batch can help</source>
        <translation>Kernel, kürzer als die Aufrufe, die sie starten: Fusion, ein CUDA-Graph oder ein größerer Batch können helfen</translation>
    </message>
    <message>
        <source>too few blocks for the multiprocessors: a bigger batch can help</source>
        <translation>zu wenige Blöcke für die Multiprozessoren: ein größerer Batch kann helfen</translation>
    </message>
    <message>
        <source>{} of {} in a step ({} of {:.0f} steps).</source>
        <translation>{} in einem Schritt: {} ({} von {:.0f} Schritten).</translation>
    </message>
    <message>
        <source>1 kernel</source>
        <translation>1 Kernel</translation>
    </message>
    <message>
        <source>{} kernels</source>
        <translation>{} Kernel</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>{} of them carry data between GPUs for {}, {} of that without computation beside it. Such kernels wait for other ranks and the network; no roof of this GPU bounds them.</source>
        <translation>{} davon tragen {} lang Daten zwischen GPUs, {} dieser Zeit ohne Rechnen daneben. Solche Kernel warten auf andere Ränge und das Netz; kein Dach dieser GPU begrenzt sie.</translation>
    </message>
    <message>
        <source>The rate of the copies is unknown: their sizes are not recorded.</source>
        <translation>Die Rate der Kopien ist unbekannt: ihre Größen sind nicht aufgezeichnet.</translation>
    </message>
    <message>
        <source>the link is full</source>
        <translation>die Verbindung ist voll</translation>
    </message>
    <message>
        <source>pageable memory or small copies hold them back</source>
        <translation>auslagerbarer Speicher oder kleine Kopien bremsen sie</translation>
    </message>
    <message>
        <source>small copies, or others beside them, hold them back</source>
        <translation>kleine Kopien, oder andere daneben, bremsen sie</translation>
    </message>
    <message>
        <source>Copies run at {} each, {} of the fastest of their direction in this capture (limit {}): {}.</source>
        <translation>Kopien laufen mit je {}, {} der schnellsten ihrer Richtung in dieser Aufzeichnung (Schwelle {}): {}.</translation>
    </message>
    <message>
        <source>compulsory bytes</source>
        <translation>zwingende Bytes</translation>
    </message>
    <message>
        <source>{} {} between {} ({})</source>
        <translation>{} {} zwischen {} ({})</translation>
    </message>
    <message>
        <source>that the GPU counted</source>
        <translation>nach Zählung der GPU</translation>
    </message>
    <message>
        <source>of the sector model</source>
        <translation>nach dem Sektormodell</translation>
    </message>
    <message>
        <source>L2 and its memory</source>
        <translation>L2 und dessen Speicher</translation>
    </message>
    <message>
        <source>L2 and the multiprocessors</source>
        <translation>L2 und den Multiprozessoren</translation>
    </message>
    <message>
        <source>The {} would take {} at the data sheet&apos;s bandwidth (specified): {} used.</source>
        <translation>Bei der Bandbreite des Datenblatts (angegeben) bräuchten {} {}: zu {} genutzt.</translation>
    </message>
    <message>
        <source>Its longest kernel fills {:.2g} waves of blocks{}.</source>
        <translation>Der längste Kernel füllt {:.2g} Wellen von Blöcken{}.</translation>
    </message>
    <message>
        <source>: a grid too small for this device (limit {})</source>
        <translation>: ein zu kleines Grid für dieses Gerät (Schwelle {})</translation>
    </message>
    <message>
        <source>it is full</source>
        <translation>es ist voll</translation>
    </message>
    <message>
        <source>mostly that, with some waiting</source>
        <translation>überwiegend dieses, mit etwas Warten</translation>
    </message>
    <message>
        <source>the device waits</source>
        <translation>das Gerät wartet</translation>
    </message>
    <message>
        <source>Its busiest roof is used to {} (limits: {} saturated, {} busy): {}.</source>
        <translation>Das am stärksten genutzte Dach ist zu {} genutzt (Schwellen: {} gesättigt, {} beschäftigt): {}.</translation>
    </message>
    <message>
        <source>Firm: the same answer in all {} corners of the error bands.</source>
        <translation>Sicher: dieselbe Antwort in allen {} Ecken der Fehlerbänder.</translation>
    </message>
    <message>
        <source>The same answer in all {} corners of the error bands, but the roofs have low confidence: likely, not firm.</source>
        <translation>Dieselbe Antwort in allen {} Ecken der Fehlerbänder, aber die Dächer sind wenig verlässlich: wahrscheinlich, nicht sicher.</translation>
    </message>
    <message>
        <source>Likely: the same answer in {} of {} corners of the error bands{}{}.</source>
        <translation>Wahrscheinlich: dieselbe Antwort in {} von {} Ecken der Fehlerbänder{}{}.</translation>
    </message>
    <message>
        <source>; else </source>
        <translation>; sonst </translation>
    </message>
    <message>
        <source>; roofs are the data sheet&apos;s, not measured</source>
        <translation>; die Dächer sind die des Datenblatts, nicht gemessen</translation>
    </message>
    <message>
        <source>{:.0f} of {:.0f} regions (a step on a device) are {} (limits {}: communication alone, {}: copies alone, {}: idle, {}: idle before the launch).</source>
        <translation>{:.0f} von {:.0f} Bereichen (je ein Schritt auf einem Gerät): {} (Schwellen {}: nur Kommunikation, {}: nur Kopien, {}: Leerlauf, {}: Leerlauf vor dem Start).</translation>
    </message>
    <message>
        <source>Copies run alone for {} (limit {} of copies and kernels together).</source>
        <translation>Kopien laufen {} lang allein (Schwelle: {} von Kopien und Kerneln zusammen).</translation>
    </message>
    <message>
        <source>The calls that launch them take {}: {} of calls and kernels together (limit {}).</source>
        <translation>Die Aufrufe, die sie starten, dauern {}: {} von Aufrufen und Kerneln zusammen (Schwelle {}).</translation>
    </message>
    <message>
        <source>Arithmetic would take {} at the data sheet&apos;s peak (specified): {} used.</source>
        <translation>Die Arithmetik bräuchte {} an der Spitze des Datenblatts (angegeben): zu {} genutzt.</translation>
    </message>
    <message>
        <source>{} cross. L2 is left out: its bandwidth is not published for this chip.</source>
        <translation>Es queren {}. L2 bleibt außen vor: seine Bandbreite ist für diesen Chip nicht veröffentlicht.</translation>
    </message>
    <message>
        <source>The operands fit into L2: device memory would be used to {} at most.</source>
        <translation>Die Operanden passen in L2: der Gerätespeicher wäre höchstens zu {} genutzt.</translation>
    </message>
    <message>
        <source>Whether arithmetic or memory binds is unknown: the capture lacks the op&apos;s shapes or this device&apos;s peaks, or the operands fit into its L2.</source>
        <translation>Ob Arithmetik oder Speicher begrenzt, ist unbekannt: der Aufzeichnung fehlen die Formen des Ops oder die Spitzen dieses Geräts, oder die Operanden passen in dessen L2.</translation>
    </message>
    <message>
        <source>{} of the kernels&apos; time is {}.</source>
        <translation>{} der Zeit der Kernel: {}.</translation>
    </message>
    <message>
        <source>Takes {} (one step measured).</source>
        <translation>Dauert {} (ein Schritt gemessen).</translation>
    </message>
    <message>
        <source>Takes {} (median of {} steps; {} {} to {}).</source>
        <translation>Dauert {} (Median von {} Schritten; {} {} bis {}).</translation>
    </message>
    <message>
        <source>all within</source>
        <translation>alle von</translation>
    </message>
    <message>
        <source>above the roof, which is no bound here: the measured</source>
        <translation>über dem Dach, das hier keine Grenze ist: gemessen</translation>
    </message>
    <message>
        <source> of the measured</source>
        <translation> der gemessenen</translation>
    </message>
    <message>
        <source>Runs on {} of the run&apos;s {}</source>
        <translation>Läuft auf {} von {} des Laufs</translation>
    </message>
    <message>
        <source>, and is compared with the roofs of that number.</source>
        <translation>, verglichen mit den Dächern dieser Zahl.</translation>
    </message>
    <message>
        <source>{}, but is compared with the roofs of {}. Measure the roofs of {}, then record again.</source>
        <translation>{}, aber verglichen mit den Dächern von {}. Miss die Dächer von {}, dann zeichne neu auf.</translation>
    </message>
    <message>
        <source>Computes {} in {} = {}, {} {} ({}, {}).</source>
        <translation>Rechnet {} in {} = {}, {} {} ({}, {}).</translation>
    </message>
    <message>
        <source>peaks of the ops&apos; dtypes</source>
        <translation>Spitzen der Datentypen der Ops</translation>
    </message>
    <message>
        <source>Moves {} from {} ({}, ± {}) in {} = {}, {} {} ({}, {} writes).</source>
        <translation>Bewegt {} von {} ({}, ± {}) in {} = {}, {} {} ({}, {} Schreibanteil).</translation>
    </message>
    <message>
        <source>That is more than {} can deliver: the true bytes are at most {}, within the error band of the {} {}.</source>
        <translation>Das ist mehr, als {0} liefern kann: die wahren Bytes sind höchstens {1}, innerhalb des Fehlerbands der {3} ({2}).</translation>
    </message>
    <message>
        <source>{} for {}</source>
        <translation>{} für {}</translation>
    </message>
    <message>
        <source>At the roofs it would take {} (arithmetic {}, data {}{}); it takes {} that.</source>
        <translation>An den Dächern würde es {} dauern (Arithmetik {}, Daten {}{}); es dauert {} so lang.</translation>
    </message>
    <message>
        <source> Times of levels add up (ECM model): transfers between the caches of a core do not overlap. Each level adds what it takes beyond the next nearer one. Shares of single roofs are of one level alone.</source>
        <translation> Die Zeiten der Ebenen addieren sich (ECM-Modell): Übertragungen zwischen den Caches eines Kerns überlappen nicht. Jede Ebene trägt bei, was sie länger braucht als die nächstnähere. Anteile an einzelnen Dächern gelten für eine Ebene allein.</translation>
    </message>
    <message>
        <source> It is faster than that sum: transfers overlapped, or fewer bytes moved. Within the error bands no single roof demands more than the time, so the figures agree.</source>
        <translation> Es ist schneller als diese Summe: Übertragungen überlappten, oder weniger Bytes wurden bewegt. Innerhalb der Fehlerbänder verlangt kein einzelnes Dach mehr als die Zeit, also passen die Zahlen zusammen.</translation>
    </message>
    <message>
        <source>Starting and joining {} costs {} ({} of the time; limit {}): {} too small to be split.</source>
        <translation>Starten und Zusammenführen von {} kostet {} ({} der Zeit; Schwelle {}): {} zu klein zum Aufteilen.</translation>
    </message>
    <message>
        <source>its ops are</source>
        <translation>seine Ops sind</translation>
    </message>
    <message>
        <source>the op is</source>
        <translation>die Op ist</translation>
    </message>
    <message>
        <source>{} {} and nearer levels, limited to the measured time, takes about {} (all of the misses would take {})</source>
        <translation>{} {} und nähere Ebenen, auf die gemessene Zeit begrenzt, kostet etwa {} (alle Fehlzugriffe würden {} kosten)</translation>
    </message>
    <message>
        <source>{} {} and nearer levels takes about {} ({} of the time, limit {})</source>
        <translation>{} {} und nähere Ebenen kostet etwa {} ({} der Zeit, Schwelle {})</translation>
    </message>
    <message>
        <source>Each load names the address of the next, so one is under way at a time: {} loads take {} each, and {}.</source>
        <translation>Jeder Ladezugriff nennt die Adresse des nächsten, also ist immer nur einer unterwegs: {} Ladezugriffe dauern je {}, und {}.</translation>
    </message>
    <message>
        <source>waiting for</source>
        <translation>das Warten auf</translation>
    </message>
    <message>
        <source>Moving data takes longer than arithmetic. {} is the slowest level, and the time is within {} times that (limit). A level that all threads share decides alone from {} of its bandwidth on.</source>
        <translation>Daten zu bewegen dauert länger als die Arithmetik. {} ist die langsamste Ebene, und die Zeit ist höchstens {} mal so lang (Schwelle). Eine Ebene, die alle Threads teilen, entscheidet allein ab {} ihrer Bandbreite.</translation>
    </message>
    <message>
        <source>There is no verdict: the {2} bytes or the roof are wrong here. Even with bytes at the low edge of their error band the roof of {0} demands {1} (limit {3} of that).</source>
        <translation>Es gibt kein Urteil: die Bytes ({2}) oder das Dach sind hier falsch. Selbst mit Bytes am unteren Rand ihres Fehlerbands verlangt das Dach von {0} {1} (Schwelle: {3} davon).</translation>
    </message>
    <message>
        <source>That is more than {} times the time at the roofs. Cache misses do not explain it; instructions, branches{} TLB misses{} do.</source>
        <translation>Das ist mehr als {} mal die Zeit an den Dächern. Cache-Fehlzugriffe erklären es nicht; Befehle, Sprünge{} TLB-Fehlzugriffe{} schon.</translation>
    </message>
    <message>
        <source> or</source>
        <translation> oder</translation>
    </message>
    <message>
        <source> or idle threads</source>
        <translation> oder untätige Threads</translation>
    </message>
    <message>
        <source>Misses in {} by cause (simulated): {} compulsory, {} capacity, {} conflict (limit {}).</source>
        <translation>Fehlzugriffe in {} nach Ursache (simuliert): {} zwingend, {} Kapazität, {} Konflikt (Schwelle {}).</translation>
    </message>
    <message>
        <source>{} from {}</source>
        <translation>{} von {}</translation>
    </message>
    <message>
        <source>More may move than that, as much as </source>
        <translation>Es kann mehr bewegt werden, bis zu </translation>
    </message>
    <message>
        <source>{}, as little as {}</source>
        <translation>{}, nur {}</translation>
    </message>
    <message>
        <source>Less may move than that</source>
        <translation>Es kann weniger bewegt werden</translation>
    </message>
    <message>
        <source>; or less</source>
        <translation>; oder weniger</translation>
    </message>
    <message>
        <source>: the working set is about the size of a cache, or bytes are a lower bound. The corners include that.</source>
        <translation>: die Arbeitsmenge ist etwa so groß wie ein Cache, oder die Bytes sind eine untere Grenze. Die Ecken schließen das ein.</translation>
    </message>
    <message>
        <source> (of {} from {} to {})</source>
        <translation> ({} zwischen {} und {})</translation>
    </message>
    <message>
        <source>time ± </source>
        <translation>Zeit ± </translation>
    </message>
    <message>
        <source>the time of the one step</source>
        <translation>die Zeit des einen Schritts</translation>
    </message>
    <message>
        <source>, and a time shorter by the background load ({})</source>
        <translation>, und eine um die Last im Hintergrund ({}) kürzere Zeit</translation>
    </message>
    <message>
        <source>bytes ± {} at most, roofs{} ± {}, {}{}</source>
        <translation>Bytes höchstens ± {}, Dächer{} ± {}, {}{}</translation>
    </message>
    <message>
        <source>Firm: the same answer in all {} corners of {}.</source>
        <translation>Sicher: dieselbe Antwort in allen {} Ecken ({}).</translation>
    </message>
    <message>
        <source>The same answer in all {} corners of {}, but the roofs have low confidence: likely, not firm.</source>
        <translation>Dieselbe Antwort in allen {} Ecken ({}), aber die Dächer sind wenig verlässlich: wahrscheinlich, nicht sicher.</translation>
    </message>
    <message>
        <source>Likely: the same answer in {} of {} corners of {}</source>
        <translation>Wahrscheinlich: dieselbe Antwort in {} von {} Ecken ({})</translation>
    </message>
    <message>
        <source>, but the waiting was fitted to the time that it explains</source>
        <translation>, aber das Warten wurde an die Zeit angepasst, die es erklärt</translation>
    </message>
    <message>
        <source>; modelled bytes ignore the order in which an op walks its operands. Record with simulated caches, which count the misses that no prefetcher covers</source>
        <translation>; modellierte Bytes übergehen, in welcher Reihenfolge eine Op ihre Operanden durchläuft. Zeichne mit simulierten Caches auf, die die Fehlzugriffe zählen, die kein Prefetcher abdeckt</translation>
    </message>
    <message>
        <source>; else {}.</source>
        <translation>; sonst {}.</translation>
    </message>
    <message>
        <source>Without this limit ({}) nothing is saved: the next one is as near.</source>
        <translation>Ohne diese Grenze ({}) wird nichts gespart: die nächste ist ebenso nah.</translation>
    </message>
    <message>
        <source>Without this limit ({}) the {} could be at most {} as fast.</source>
        <translation>Ohne diese Grenze ({0}) ginge es höchstens {2} so schnell ({1}).</translation>
    </message>
    <message>
        <source>Issue slots (measured, top-down): {} retiring, {} front-end bound, {} bad speculation, {} memory bound, {} core bound.</source>
        <translation>Issue-Slots (gemessen, Top-down): {} abgeschlossen, {} vom Frontend begrenzt, {} falsche Spekulation, {} vom Speicher begrenzt, {} vom Kern begrenzt.</translation>
    </message>
    <message>
        <source>{} of the cycles stall for {} (limit {}){}.</source>
        <translation>{} der Takte warten auf {} (Schwelle {}){}.</translation>
    </message>
    <message>
        <source>data from memory</source>
        <translation>Daten vom Speicher</translation>
    </message>
    <message>
        <source>stores</source>
        <translation>Schreibzugriffe</translation>
    </message>
    <message>
        <source>data from </source>
        <translation>Daten von </translation>
    </message>
    <message>
        <source>, with few reads under way: its latency</source>
        <translation>, mit wenigen Lesezugriffen unterwegs: seine Latenz</translation>
    </message>
    <message>
        <source>, with many reads under way: its bandwidth</source>
        <translation>, mit vielen Lesezugriffen unterwegs: seine Bandbreite</translation>
    </message>
    <message>
        <source>A view shares the bytes of its input; it runs and moves nothing.</source>
        <translation>Eine Sicht teilt die Bytes ihrer Eingabe; sie führt nichts aus und bewegt nichts.</translation>
    </message>
    <message>
        <source>It computes nothing and moves no bytes: no roof limits it.</source>
        <translation>Sie berechnet nichts und bewegt keine Bytes: Kein Dach begrenzt sie.</translation>
    </message>
    <message>
        <source>These times scatter: their lower quartile, {}, is judged, which background load changes least.</source>
        <translation>Diese Zeiten schwanken: Beurteilt wird ihr unteres Quartil, {}, das Hintergrundlast am wenigsten ändert.</translation>
    </message>
    <message>
        <source>No time was recorded for this op in a step that counts.</source>
        <translation>Für diese Op wurde in keinem Schritt, der zählt, eine Zeit aufgezeichnet.</translation>
    </message>
    <message>
        <source>No step was timed.</source>
        <translation>Kein Schritt wurde gemessen.</translation>
    </message>
    <message>
        <source>Unknown: the GPU was emulated, and times of an emulation are not those of a GPU.</source>
        <translation>Unbekannt: die GPU wurde emuliert, und Zeiten einer Emulation sind nicht die einer GPU.</translation>
    </message>
    <message>
        <source>The roofs have low confidence.</source>
        <translation>Die Dächer sind wenig verlässlich.</translation>
    </message>
    <message>
        <source>A time stamp costs {}: a duration below {} of them is noise.</source>
        <translation>Ein Zeitstempel kostet {}: eine Dauer unter {} davon ist Rauschen.</translation>
    </message>
    <message>
        <source>There is no verdict: at the arithmetic roof it would take {} (limit {} of that). That roof or the count of FLOPs is wrong here.</source>
        <translation>Es gibt kein Urteil: am Dach der Arithmetik würde es {} dauern (Schwelle: {} davon). Dieses Dach oder die Zahl der FLOPs ist hier falsch.</translation>
    </message>
    <message>
        <source>Arithmetic takes longer than moving the data, and the time is within {} times that (limit).</source>
        <translation>Die Arithmetik dauert länger als das Bewegen der Daten, und die Zeit ist höchstens {} mal so lang (Schwelle).</translation>
    </message>
    <message>
        <source>Arithmetic and data differ by less than {} of the longer (limit).</source>
        <translation>Arithmetik und Daten unterscheiden sich um weniger als {} des Längeren (Schwelle).</translation>
    </message>
    <message>
        <source>Multiply-adds wait for one another: {} each as probed, {} of {} in all, at least {} of it (limit).</source>
        <translation>Multiply-Adds warten aufeinander: je {} nach der Messung, insgesamt {} von {}, mindestens {} davon (Schwelle).</translation>
    </message>
    <message>
        <source>Latency of misses that no prefetcher covers, at</source>
        <translation>Die Latenz der Fehlzugriffe, die kein Prefetcher abdeckt, für</translation>
    </message>
    <message>
        <source>Strided or random access defeats the prefetchers: {}; {:.0f} misses are under way per core.</source>
        <translation>Verstreute Zugriffe oder große Schrittweiten machen die Prefetcher wirkungslos: {}; je Kern sind {:.0f} Fehlzugriffe unterwegs.</translation>
    </message>
    <message>
        <source>Starting and joining {} took {} in the probe, longer than this op: its cost here is unknown.</source>
        <translation>Starten und Zusammenführen ({}) dauerte in der Messung der Maschine {}, länger als diese Op: die Kosten hier sind unbekannt.</translation>
    </message>
    <message>
        <source>The probe has no {0} bandwidth: {0} is left out, and the verdict cannot be firm.</source>
        <translation>Die Bandbreite von {0} wurde nicht gemessen: {0} ist ausgelassen, und das Urteil kann nicht sicher sein.</translation>
    </message>
    <message>
        <source>This is faster than farther levels could deliver the modelled bytes. Bytes whose reuse distance is about a cache&apos;s size stayed in it and are left out.</source>
        <translation>Das ist schneller, als fernere Ebenen die modellierten Bytes liefern könnten. Bytes, deren Wiederverwendungsabstand etwa der Größe eines Caches entspricht, blieben darin und sind ausgelassen.</translation>
    </message>
    <message>
        <source> It may have delayed the launches.</source>
        <translation> Sie kann die Starts verzögert haben.</translation>
    </message>
    <message>
        <source>The counters agree with the class that bytes and times gave.</source>
        <translation>Die Zähler bestätigen die Klasse, die aus Bytes und Zeiten folgt.</translation>
    </message>
    <message>
        <source>By bytes and times alone it would be: {}.</source>
        <translation>Nach Bytes und Zeiten allein wäre es: {}.</translation>
    </message>
    <message>
        <source>It waits for {} of {} (measured; limit {}).</source>
        <translation>Es wartet {} von {} (gemessen; Grenze {}).</translation>
    </message>
    <message>
        <source>{} of its time (median of {}, untraced steps included)</source>
        <translation>{} der Zeit (Median von {}, Schritte ohne Aufzeichnung eingeschlossen)</translation>
    </message>
    <message>
        <source>The step waits for data {}. {}</source>
        <translation>Der Schritt wartet auf Daten: {}. {}</translation>
    </message>
    <message>
        <source>Make the lane {} faster: more threads for it, fewer bytes, or a faster source.</source>
        <translation>Beschleunige die Spur {}: mehr Threads dafür, weniger Bytes oder eine schnellere Quelle.</translation>
    </message>
    <message>
        <source>The step waits for data {}: {} of {}. Yet no lane of the loader takes longer than copy and compute. The loader&apos;s threads compete with the step for cores.</source>
        <translation>Der Schritt wartet auf Daten: {}, {} von {}. Dabei dauert keine Spur des Laders länger als Kopieren und Rechnen. Die Threads des Laders konkurrieren mit dem Schritt um Kerne.</translation>
    </message>
    <message>
        <source>Give the loader&apos;s threads a core of their own.</source>
        <translation>Gib den Threads des Laders einen eigenen Kern.</translation>
    </message>
    <message>
        <source>The step waits for its own loading {} of its time ({} of {}), mostly for the lane {} ({}).</source>
        <translation>Der Schritt wartet auf sein eigenes Laden: {} der Zeit ({} von {}), am meisten auf die Spur {} ({}).</translation>
    </message>
    <message>
        <source>The host fetches data for {} of a step of {}{}.</source>
        <translation>Der Host holt Daten: {} eines Schritts von {}{}.</translation>
    </message>
    <message>
        <source>; the GPU does nothing for {} of that step</source>
        <translation>; die GPU tut in diesem Schritt {} lang nichts</translation>
    </message>
    <message>
        <source>Load batches ahead: more workers of the data loader, pinned memory, copies that do not block.</source>
        <translation>Lade Batches voraus: mehr Worker des Data-Loaders, gepinnter Speicher, Kopien, die nicht blockieren.</translation>
    </message>
    <message>
        <source>No thread of the program runs for {} of a step of {} ({}). Threads sleep, wait for a lock or a device, or a limit on processor time stops them.</source>
        <translation>Kein Thread des Programms läuft während {} eines Schritts von {} ({}). Threads schlafen, warten auf eine Sperre oder ein Gerät, oder eine Grenze der Prozessorzeit hält sie an.</translation>
    </message>
    <message>
        <source>Find what the threads wait for (`perf trace`, `strace -f`), and check the processor limit of the container.</source>
        <translation>Finde heraus, worauf die Threads warten (`perf trace`, `strace -f`), und prüfe die Prozessorgrenze des Containers.</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>batches</source>
        <translation>Batches</translation>
    </message>
    <message>
        <source>{} is {:.3g} times as fast as {}.</source>
        <translation>{} ist {:.3g}-mal so schnell wie {}.</translation>
    </message>
    <message>
        <source>{}, the fastest without a library, has {} of the library&apos;s speed ({}).</source>
        <translation>{}, die schnellste ohne Bibliothek, erreicht {} der Geschwindigkeit der Bibliothek ({}).</translation>
    </message>
    <message>
        <source>All versions put out the same values.</source>
        <translation>Alle Fassungen geben dieselben Werte aus.</translation>
    </message>
    <message>
        <source>Results differ from those of {} by at most {:.1e} of their norm.</source>
        <translation>Ergebnisse weichen von denen von {} um höchstens {:.1e} ihrer Norm ab.</translation>
    </message>
    <message>
        <source>: {} by F(4x4, 3x3), {} by F(2x2, 3x3)</source>
        <translation>: {} mit F(4x4, 3x3), {} mit F(2x2, 3x3)</translation>
    </message>
    <message>
        <source>{} ran by Winograd&apos;s minimal filtering{}</source>
        <translation>Nach Winograd (minimale Filterung): {}{}</translation>
    </message>
    <message>
        <source>It took {}; direct sums take at least {} at the measured peak.</source>
        <translation>Sie dauerte {}; direkte Summen dauern bei gemessener Spitzenleistung mindestens {}.</translation>
    </message>
    <message>
        <source>They took {}; direct sums take at least {} at the measured peak.</source>
        <translation>Sie dauerten {}; direkte Summen dauern bei gemessener Spitzenleistung mindestens {}.</translation>
    </message>
    <message>
        <source>; it computes {}, direct sums {}</source>
        <translation>; gerechnet werden {}, als direkte Summen wären es {}</translation>
    </message>
    <message>
        <source>; they compute {}, direct sums {}</source>
        <translation>; gerechnet werden {}, als direkte Summen wären es {}</translation>
    </message>
    <message>
        <source>Those are the FLOPs of Winograd&apos;s F({0}x{0}, 3x3). Direct sums compute {1} and would take {2} at the same roof, {3} of this time. Transforming tiles is in no roof.</source>
        <translation>Das sind die FLOPs von Winograds F({0}x{0}, 3x3). Direkte Summen rechnen {1} und bräuchten an demselben Dach {2}, {3} dieser Zeit. Das Umformen der Kacheln zählt in keinem Dach.</translation>
    </message>
    <message>
        <source>mostly weights that each step transforms again for Winograd&apos;s filtering, {:.2g} times as large ({} in all): a bigger batch uses them for more images</source>
        <translation>meist Gewichte, die jeder Schritt neu für Winograds Filterung umformt und {:.2g}-mal so groß ({} insgesamt): ein größerer Batch nutzt sie für mehr Bilder</translation>
    </message>
    <message>
        <source>mostly weights transformed for Winograd&apos;s filtering, {:.2g} times as large ({}): a bigger batch reads them once for more images</source>
        <translation>meist Gewichte, für Winograds Filterung umgeformt und {:.2g}-mal so groß ({}): ein größerer Batch liest sie einmal für mehr Bilder</translation>
    </message>
    <message>
        <source>no roof counts the transforms of Winograd&apos;s filtering; direct sums at their roof would take {} of this time</source>
        <translation>kein Dach zählt die Umformungen von Winograds Filterung; direkte Summen an ihrem Dach bräuchten {} dieser Zeit</translation>
    </message>
    <message>
        <source>Matrix multiplications and convolutions do {} of the FLOPs</source>
        <translation>Matrixmultiplikationen und Faltungen: {} der FLOPs</translation>
    </message>
    <message>
        <source> in {} of the ops&apos; time</source>
        <translation> in {} der Zeit der Ops</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exakt</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>specified</source>
        <translation>angegeben</translation>
    </message>
    <message>
        <source>emulated</source>
        <translation>emuliert</translation>
    </message>
    <message>
        <source>within noise of ± {:.2f} % of a step</source>
        <translation>innerhalb des Rauschens von ± {:.2f} % eines Schritts</translation>
    </message>
    <message>
        <source>from one to the next, steps differed by more than a step takes</source>
        <translation>Schritte unterschieden sich voneinander um mehr, als ein Schritt dauert</translation>
    </message>
    <message>
        <source>Threads waited {:.0f} % of a step for processors that other programs held, so it took longer than the program needs.</source>
        <translation>Threads warteten {:.0f} % eines Schritts auf Prozessoren, die andere Programme hielten; er dauerte also länger, als das Programm braucht.</translation>
    </message>
    <message>
        <source>These times scatter: other programs, a changing clock or unequal steps lengthened some.</source>
        <translation>Diese Zeiten schwanken: Andere Programme, ein wechselnder Takt oder ungleiche Schritte verlängerten einige.</translation>
    </message>
    <message>
        <source>Background load: {:.0f} % of the processors.</source>
        <translation>Hintergrundlast: {:.0f} % der Prozessoren.</translation>
    </message>
    <message>
        <source>{:.0f} to {:.0f} %</source>
        <translation>{:.0f} bis {:.0f} %</translation>
    </message>
    <message>
        <source>Background load: {} of the processors beside {} of {} processes.</source>
        <translation>Hintergrundlast: {} der Prozessoren neben {} von {} Prozessen.</translation>
    </message>
    <message>
        <source>This run used {}: sums are over all of them, and each row names its device.</source>
        <translation>Dieser Lauf benutzte {}: Summen gelten über alle, und jede Zeile nennt ihr Gerät.</translation>
    </message>
    <message>
        <source>the trace {} does not distinguish its shapes, so the sums over all shapes are compared</source>
        <translation>Spur {}: unterscheidet die Formen nicht, also werden Summen über alle Formen verglichen</translation>
    </message>
    <message>
        <source>was {}</source>
        <translation>war {}</translation>
    </message>
    <message>
        <source>result {} → {}</source>
        <translation>Ergebnis {} → {}</translation>
    </message>
    <message>
        <source>kernel {} → {}</source>
        <translation>Kernel {} → {}</translation>
    </message>
    <message>
        <source>{}, all shapes{}</source>
        <translation>{}, alle Formen{}</translation>
    </message>
    <message>
        <source>{} before, another file of that name after</source>
        <translation>{} vorher, eine andere Datei dieses Namens nachher</translation>
    </message>
    <message>
        <source>{} before, {} after</source>
        <translation>{} vorher, {} nachher</translation>
    </message>
    <message>
        <source>whole step</source>
        <translation>ganzer Schritt</translation>
    </message>
    <message>
        <source>Times cannot be compared: {} emulated.</source>
        <translation>Zeiten können nicht verglichen werden, emuliert: {}.</translation>
    </message>
    <message>
        <source>both GPUs were</source>
        <translation>beide GPUs</translation>
    </message>
    <message>
        <source>the GPU of {} was</source>
        <translation>die GPU von {}</translation>
    </message>
    <message>
        <source>an imported trace holds no results</source>
        <translation>eine importierte Spur enthält keine Ergebnisse</translation>
    </message>
    <message>
        <source>the run {} computed nothing</source>
        <translation>der Lauf {} berechnete nichts</translation>
    </message>
    <message>
        <source>the capture {} holds no results: it is older, or its graph marks no output</source>
        <translation>die Aufzeichnung {} enthält keine Ergebnisse: sie ist älter, oder ihr Graph kennzeichnet keine Ausgabe</translation>
    </message>
    <message>
        <source>the runs have different seeds ({} and {})</source>
        <translation>die Läufe haben verschiedene Seeds ({} und {})</translation>
    </message>
    <message>
        <source>the batches differ ({} and {})</source>
        <translation>die Batches unterscheiden sich ({} und {})</translation>
    </message>
    <message>
        <source>they were read after different steps ({} and {}), and each step changes them</source>
        <translation>sie wurden nach verschiedenen Schritten gelesen ({} und {}), und jeder Schritt ändert sie</translation>
    </message>
    <message>
        <source>the runs put out different tensors</source>
        <translation>die Läufe geben verschiedene Tensoren aus</translation>
    </message>
    <message>
        <source>same results</source>
        <translation>gleiche Ergebnisse</translation>
    </message>
    <message>
        <source>results differ</source>
        <translation>Ergebnisse weichen ab</translation>
    </message>
    <message>
        <source>results differ by {}</source>
        <translation>Ergebnisse weichen um {} ab</translation>
    </message>
    <message>
        <source>results differ in bits</source>
        <translation>Ergebnisse weichen in Bits ab</translation>
    </message>
    <message>
        <source>They cannot be compared: {}.</source>
        <translation>Sie können nicht verglichen werden: {}.</translation>
    </message>
    <message>
        <source>Same results: {} after step {} {} equal bit for bit.</source>
        <translation>Gleiche Ergebnisse: {} nach Schritt {} {} Bit für Bit gleich.</translation>
    </message>
    <message>
        <source>{} of {} outputs are equal bit for bit. </source>
        <translation>{} von {} Ausgaben sind Bit für Bit gleich. </translation>
    </message>
    <message>
        <source> Compared were {} of its {} values.</source>
        <translation> Verglichen wurden {} von {} Werten.</translation>
    </message>
    <message>
        <source>{} differs: {:g} before, {:g} after.{}</source>
        <translation>{} weicht ab: {:g} vorher, {:g} nachher.{}</translation>
    </message>
    <message>
        <source>{} differs in some bits, but not in the compared values{}.{}</source>
        <translation>{} weicht in einigen Bits ab, aber nicht in den verglichenen Werten{}.{}</translation>
    </message>
    <message>
        <source>, nor in its range</source>
        <translation>, auch nicht im Wertebereich</translation>
    </message>
    <message>
        <source>{} differs by up to {} of its largest value ({:.9g} before, {:.9g} after).</source>
        <translation>{} weicht um bis zu {} des größten Werts ab ({:.9g} vorher, {:.9g} nachher).</translation>
    </message>
    <message>
        <source> That is {:.2g} roundings of {}.</source>
        <translation> Das sind {:.2g} Rundungen von {}.</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source> per sample</source>
        <translation> je Beispiel</translation>
    </message>
    <message>
        <source>Time after over time before, less what all ops have in common</source>
        <translation>Zeit nachher durch Zeit vorher, ohne das, was allen Ops gemeinsam ist</translation>
    </message>
    <message>
        <source>Time after over time before, geometric means over processes</source>
        <translation>Zeit nachher durch Zeit vorher, geometrische Mittel über die Prozesse</translation>
    </message>
    <message>
        <source>: the lower quartile (Q1) of a process&apos;s steps, over several processes their geometric mean</source>
        <translation>: das untere Quartil (Q1) der Schritte eines Prozesses, über mehrere Prozesse deren geometrisches Mittel</translation>
    </message>
    <message>
        <source>Bytes over this link</source>
        <translation>Bytes über diese Verbindung</translation>
    </message>
    <message>
        <source>, by the traffic model</source>
        <translation>, nach dem Verkehrsmodell</translation>
    </message>
    <message>
        <source>(between ops)</source>
        <translation>(zwischen Ops)</translation>
    </message>
    <message>
        <source>{} times as long</source>
        <translation>{}-mal so lang</translation>
    </message>
    <message>
        <source>{:.3g} of the time</source>
        <translation>das {:.3g}-Fache der Zeit</translation>
    </message>
    <message>
        <source>more</source>
        <translation>mehr</translation>
    </message>
    <message>
        <source>less</source>
        <translation>weniger</translation>
    </message>
    <message>
        <source>{} times slower</source>
        <translation>{}-mal so langsam</translation>
    </message>
    <message>
        <source>{} times faster</source>
        <translation>{}-mal so schnell</translation>
    </message>
    <message>
        <source>slower</source>
        <translation>langsamer</translation>
    </message>
    <message>
        <source>faster</source>
        <translation>schneller</translation>
    </message>
    <message>
        <source>longer</source>
        <translation>länger</translation>
    </message>
    <message>
        <source>shorter</source>
        <translation>kürzer</translation>
    </message>
    <message>
        <source>{:.2g} % {} time</source>
        <translation>{:.2g} % {} Zeit</translation>
    </message>
    <message>
        <source>the 95 % interval spans a factor of {:.0e}: too few runs, or too uneven ones</source>
        <translation>das 95-%-Intervall umfasst einen Faktor von {:.0e}: zu wenige Läufe, oder zu ungleichmäßige</translation>
    </message>
    <message>
        <source>95 % interval: {} to {}</source>
        <translation>95-%-Intervall: {} bis {}</translation>
    </message>
    <message>
        <source>over {} (modelled)</source>
        <translation>über {} (modelliert)</translation>
    </message>
    <message>
        <source>to move at least (exact)</source>
        <translation>(mindestens zu bewegen, exakt)</translation>
    </message>
    <message>
        <source> at the same bytes</source>
        <translation> bei gleichen Bytes</translation>
    </message>
    <message>
        <source> and moves {} {}</source>
        <translation> und bewegt {} {}</translation>
    </message>
    <message>
        <source>nothing any more</source>
        <translation>nichts mehr</translation>
    </message>
    <message>
        <source>bytes it did not before</source>
        <translation>vorher nicht bewegte Bytes</translation>
    </message>
    <message>
        <source> with {} times the bytes {}</source>
        <translation> mit {}-mal so vielen Bytes {}</translation>
    </message>
    <message>
        <source> with {:.2g} % {} bytes {}</source>
        <translation> mit {:.2g} % {} Bytes {}</translation>
    </message>
    <message>
        <source>fewer</source>
        <translation>weniger</translation>
    </message>
    <message>
        <source>, limited by {} instead of {}</source>
        <translation>, begrenzt durch {} statt {}</translation>
    </message>
    <message>
        <source>{} takes {}{}{}</source>
        <translation>{} braucht {}{}{}</translation>
    </message>
    <message>
        <source>{} {} {} ({})</source>
        <translation>{} {} {} ({})</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>entfallen</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>the same for {}</source>
        <translation>ebenso {}</translation>
    </message>
    <message>
        <source>a sample</source>
        <translation>ein Beispiel</translation>
    </message>
    <message>
        <source>the step</source>
        <translation>der Schritt</translation>
    </message>
    <message>
        <source>one process each</source>
        <translation>je ein Prozess</translation>
    </message>
    <message>
        <source>{} and {} processes</source>
        <translation>{} und {} Prozesse</translation>
    </message>
    <message>
        <source>{}, with a noise of {:.1f} % from process to process ({})</source>
        <translation>{}, mit einem Rauschen von {:.1f} % von Prozess zu Prozess ({})</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>angenommen</translation>
    </message>
    <message>
        <source>The interval holds both a change and none: {}.</source>
        <translation>Das Intervall schließt sowohl eine Änderung als auch keine ein: {}.</translation>
    </message>
    <message>
        <source>A difference as large comes by chance in {:.2g} % of such comparisons, too often to be called a change: {}.</source>
        <translation>Ein so großer Unterschied entsteht in {:.2g} % solcher Vergleiche durch Zufall, zu oft, um ihn eine Änderung zu nennen: {}.</translation>
    </message>
    <message>
        <source>Nothing can be compared: a side has no times.</source>
        <translation>Es lässt sich nichts vergleichen: eine Seite hat keine Zeiten.</translation>
    </message>
    <message>
        <source>{} computed nothing: its {} is the cost of starting the ops, against {} of a run that computes. No ops can be compared.</source>
        <translation>{} berechnete nichts: dort sind {} der Aufwand für das Starten der Ops, gegenüber {} bei einem Lauf, der rechnet. Keine Ops können verglichen werden.</translation>
    </message>
    <message>
        <source>Few ops match ({}), so the totals compare different work: {} takes {} before and {} after.</source>
        <translation>Nur wenige Ops entsprechen einander ({}), also vergleichen die Summen verschiedene Arbeit: {} braucht vorher {} und nachher {}.</translation>
    </message>
    <message>
        <source>{}: nearly all of it between ops ({} → {}).</source>
        <translation>{}: fast alles davon zwischen Ops ({} → {}).</translation>
    </message>
    <message>
        <source>: all ops moved alike. A changed clock or background load does that, rather than one op.</source>
        <translation>: alle Ops änderten sich gleich. Das bewirkt eher ein anderer Takt oder Hintergrundlast als eine einzelne Op.</translation>
    </message>
    <message>
        <source>: no op stands out on its own.</source>
        <translation>: keine Op sticht für sich heraus.</translation>
    </message>
    <message>
        <source>The same as a whole ({}), but {}.</source>
        <translation>Im Ganzen gleich ({}), aber {}.</translation>
    </message>
    <message>
        <source>The same: {} takes {} ({}), and no op stands out.</source>
        <translation>Gleich: {} braucht {} ({}), und keine Op sticht heraus.</translation>
    </message>
    <message>
        <source>Unsure: {} takes {} ({}). {}</source>
        <translation>Unsicher: {} braucht {} ({}). {}</translation>
    </message>
    <message>
        <source> Sure is: {}.</source>
        <translation> Sicher ist: {}.</translation>
    </message>
    <message>
        <source>different work</source>
        <translation>verschiedene Arbeit</translation>
    </message>
    <message>
        <source>{} of {} before, {} of {} after</source>
        <translation>{} von {} vorher, {} von {} nachher</translation>
    </message>
    <message>
        <source>{} of the ops&apos; time before, {} after</source>
        <translation>{} der Zeit der Ops vorher, {} nachher</translation>
    </message>
    <message>
        <source>Nothing can be compared: a side has no times</source>
        <translation>Es lässt sich nichts vergleichen: eine Seite hat keine Zeiten</translation>
    </message>
    <message>
        <source>{} computed nothing</source>
        <translation>{} berechnete nichts</translation>
    </message>
    <message>
        <source>Different work: few ops match</source>
        <translation>Verschiedene Arbeit: nur wenige Ops entsprechen einander</translation>
    </message>
    <message>
        <source>The same time</source>
        <translation>Gleiche Zeit</translation>
    </message>
    <message>
        <source>About the same time</source>
        <translation>Etwa gleiche Zeit</translation>
    </message>
    <message>
        <source>Different workloads: {}. {}</source>
        <translation>Verschiedene Workloads: {}. {}</translation>
    </message>
    <message>
        <source>Set differently: {}.</source>
        <translation>Anders eingestellt: {}.</translation>
    </message>
    <message>
        <source>The batches differ ({:g} and {:g}): times, FLOPs and bytes are per sample.</source>
        <translation>Die Batches unterscheiden sich ({:g} und {:g}): Zeiten, FLOPs und Bytes gelten je Beispiel.</translation>
    </message>
    <message>
        <source>A trace of another tool has no graph: ops are matched by name, type and order.</source>
        <translation>Eine Spur eines anderen Werkzeugs hat keinen Graphen: Ops werden nach Name, Typ und Reihenfolge zugeordnet.</translation>
    </message>
    <message>
        <source>with their work in other ops (fused or split), compared as groups</source>
        <translation>mit ihrer Arbeit in anderen Ops (verschmolzen oder geteilt), als Gruppen verglichen</translation>
    </message>
    <message>
        <source>op name</source>
        <translation>Op-Name</translation>
    </message>
    <message>
        <source>op names</source>
        <translation>Op-Namen</translation>
    </message>
    <message>
        <source>with shapes that one trace does not distinguish, compared as the sum over all shapes</source>
        <translation>mit Formen, die eine Spur nicht unterscheidet, als Summe über alle Formen verglichen</translation>
    </message>
    <message>
        <source>only before</source>
        <translation>nur vorher</translation>
    </message>
    <message>
        <source>only after</source>
        <translation>nur nachher</translation>
    </message>
    <message>
        <source>All ops have {} in common, which is within its noise from process to process ({:.1f} %): taken out of each op&apos;s change.</source>
        <translation>Allen Ops ist {} gemeinsam; das liegt innerhalb des Rauschens von Prozess zu Prozess ({:.1f} %) und ist aus der Änderung jeder Op herausgerechnet.</translation>
    </message>
    <message>
        <source>{}: threads of {} of {} waited up to {:.0f} % of a step for processors. Background load lengthens all steps alike: the interval is wider by that.</source>
        <translation>{0}: Threads warteten bis zu {3:.0f} % eines Schritts auf Prozessoren ({2}, davon betroffen: {1}). Hintergrundlast verlängert alle Schritte gleich: das Intervall ist um so viel breiter.</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Nachher</translation>
    </message>
    <message>
        <source>Before: </source>
        <translation>Vorher: </translation>
    </message>
    <message>
        <source>After: </source>
        <translation>Nachher: </translation>
    </message>
    <message>
        <source>One process each: the noise between runs is assumed ({:.0f} %, or the scatter of the steps where above 5 %). Repeat both runs to measure it.</source>
        <translation>Je ein Prozess: das Rauschen zwischen Läufen ist angenommen ({:.0f} %, oder die Streuung der Schritte, wo sie über 5 % liegt). Wiederhole beide Läufe, um es zu messen.</translation>
    </message>
    <message>
        <source>One trace each: the noise between runs is assumed, not measured.</source>
        <translation>Je eine Spur: das Rauschen zwischen Läufen ist angenommen, nicht gemessen.</translation>
    </message>
    <message>
        <source>More repeats, or a quieter machine, would narrow the interval.</source>
        <translation>Mehr Wiederholungen oder eine ruhigere Maschine würden das Intervall verengen.</translation>
    </message>
    <message>
        <source>{}; one process counts as one sample (the lower quartile of its steps), because steps of a process share its memory layout and its neighbours. Student&apos;s t on ln t{}; noise of the whole step between processes {:.1f} % ({}). FASTER or SLOWER: a chance below {:.3g} % for the whole step (and for all ops together, by share), and at least {:g} %. SAME: the 95 % interval lies within ±{:g} %. Else UNSURE; different work is not judged.{}</source>
        <translation>{}; ein Prozess zählt als ein Messwert (das untere Quartil seiner Schritte), weil Schritte eines Prozesses dieselbe Lage im Speicher und dieselben Nachbarn haben. Students t auf ln t{}; Rauschen des ganzen Schritts zwischen Prozessen {:.1f} % ({}). SCHNELLER oder LANGSAMER: eine Wahrscheinlichkeit unter {:.3g} % für den ganzen Schritt (und für alle Ops zusammen, nach Anteil), und mindestens {:g} %. GLEICH: das 95-%-Intervall liegt innerhalb ±{:g} %. Sonst UNSICHER; verschiedene Arbeit wird nicht beurteilt.{}</translation>
    </message>
    <message>
        <source>, without {} outliers (beyond Tukey&apos;s outer fences)</source>
        <translation>, ohne {} Ausreißer (jenseits von Tukeys äußeren Zäunen)</translation>
    </message>
    <message>
        <source>assumed; of ops 8 %, more below 100 us</source>
        <translation>angenommen; bei Ops 8 %, unter 100 us mehr</translation>
    </message>
    <message>
        <source>measured, with a floor</source>
        <translation>gemessen, mit einer Untergrenze</translation>
    </message>
    <message>
        <source> The common change of all ops of a process ({} between the sides, noise {:.1f} %) is taken out of each op&apos;s change.</source>
        <translation> Die gemeinsame Änderung aller Ops eines Prozesses ({} zwischen den Seiten, Rauschen {:.1f} %) ist aus der Änderung jeder Op herausgerechnet.</translation>
    </message>
    <message>
        <source>more op</source>
        <translation>weitere Op</translation>
    </message>
    <message>
        <source>more ops</source>
        <translation>weitere Ops</translation>
    </message>
    <message>
        <source>processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>{} on {}</source>
        <translation>{} mit {}</translation>
    </message>
    <message>
        <source>read past the page cache</source>
        <translation>am Seitencache vorbei gelesen</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>one block after the other, O_DIRECT</source>
        <translation>ein Block nach dem anderen, O_DIRECT</translation>
    </message>
    <message>
        <source>no probe has measured it</source>
        <translation>in keiner Messung der Maschine enthalten</translation>
    </message>
    <message>
        <source>by {}</source>
        <translation>mit {}</translation>
    </message>
    <message>
        <source>Arithmetic of f32: {} ({}: {}).</source>
        <translation>Rechenleistung in f32: {} ({}: {}).</translation>
    </message>
    <message>
        <source>Work that does fewer FLOPs per byte than the balance of a level waits for that level.</source>
        <translation>Arbeit mit weniger FLOPs je Byte als das Gleichgewicht einer Ebene wartet auf diese Ebene.</translation>
    </message>
    <message>
        <source>The arithmetic peak is unknown: `tensortide probe` measures it.</source>
        <translation>Die Rechenspitze ist unbekannt: `tensortide probe` misst sie.</translation>
    </message>
    <message>
        <source>Sources: {}.</source>
        <translation>Quellen: {}.</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>shapes</source>
        <translation>Formen</translation>
    </message>
    <message>
        <source>{} before this run (not measured after it)</source>
        <translation>{} vor diesem Lauf (danach nicht gemessen)</translation>
    </message>
    <message>
        <source>{} after this run (not measured before it)</source>
        <translation>{} nach diesem Lauf (davor nicht gemessen)</translation>
    </message>
    <message>
        <source>{} before and {} after this run</source>
        <translation>{} vor und {} nach diesem Lauf</translation>
    </message>
    <message>
        <source>{}, {} in the probe of {} ({}, {})</source>
        <translation>{}, {} in der Messung vom {} ({}, {})</translation>
    </message>
    <message>
        <source>{}&apos;s bandwidth has moved since it was probed: {}. What was measured beside the run is its roof here.</source>
        <translation>Die Bandbreite von {} ist anders als in der Messung der Maschine: {}. Als Dach gilt hier, was neben dem Lauf gemessen wurde.</translation>
    </message>
    <message>
        <source>{}&apos;s bandwidth is unsteady: {}. A verdict is firm only where it holds for all of them; shares of that roof may be wrong.</source>
        <translation>Die Bandbreite von {} ist unstet: {}. Ein Urteil ist nur sicher, wo es für alle diese Werte gilt; Anteile an diesem Dach können falsch sein.</translation>
    </message>
    <message>
        <source>{} threads reach {:.2f} of what {} does in {}</source>
        <translation>{0} Threads erreichen {1:.2f} dessen, was {2} in {3} erreicht</translation>
    </message>
    <message>
        <source>{} more</source>
        <translation>{} weitere</translation>
    </message>
    <message>
        <source>time ran out before: {}</source>
        <translation>die Zeit reichte nicht für: {}</translation>
    </message>
    <message>
        <source>background load {:.0f} % of the processors</source>
        <translation>Hintergrundlast {:.0f} % der Prozessoren</translation>
    </message>
    <message>
        <source>{}repeats of a roof differ by {:.0f} %</source>
        <translation>{}Wiederholungen eines Dachs weichen um {:.0f} % ab</translation>
    </message>
    <message>
        <source>{}{} kept from earlier probes under background load, which measured {} better</source>
        <translation>{}{} aus früheren Messungen unter Hintergrundlast übernommen, die {} besser maßen</translation>
    </message>
    <message>
        <source>it</source>
        <translation>ihn</translation>
    </message>
    <message>
        <source>them</source>
        <translation>sie</translation>
    </message>
    <message>
        <source>Roofs measured on a busy machine ({}). </source>
        <translation>Dächer auf einer beschäftigten Maschine gemessen ({}). </translation>
    </message>
    <message>
        <source>Not all roofs were measured ({}). </source>
        <translation>Nicht alle Dächer wurden gemessen ({}). </translation>
    </message>
    <message>
        <source>Shares of roofs, limits and predictions may be wrong. {}</source>
        <translation>Anteile an Dächern, Grenzen und Vorhersagen können falsch sein. {}</translation>
    </message>
    <message>
        <source>, low confidence</source>
        <translation>, wenig verlässlich</translation>
    </message>
    <message>
        <source>figure is</source>
        <translation>Wert ist</translation>
    </message>
    <message>
        <source>figures are</source>
        <translation>Werte sind</translation>
    </message>
    <message>
        <source>Run `tensortide probe` on a quiet machine, then record again.</source>
        <translation>Führe `tensortide probe` auf einer ruhigen Maschine aus und zeichne dann neu auf.</translation>
    </message>
    <message>
        <source>instruction fetch</source>
        <translation>Befehlsabruf</translation>
    </message>
    <message>
        <source>instruction fetches</source>
        <translation>Befehlsabrufe</translation>
    </message>
    <message>
        <source>lines</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>byte</source>
        <translation>Byte</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>this machine was not probed, so the effective cache sizes are unknown: run `tensortide probe`, then record again</source>
        <translation>diese Maschine wurde nicht vermessen, also sind die wirksamen Cachegrößen unbekannt: führe `tensortide probe` aus und zeichne dann neu auf</translation>
    </message>
    <message>
        <source>the null device runs no kernel, so nothing was moved</source>
        <translation>das null-Gerät führt keinen Kernel aus, also wurde nichts bewegt</translation>
    </message>
    <message>
        <source>the GPU was emulated, and an emulation has no caches of its own</source>
        <translation>die GPU wurde emuliert, und eine Emulation hat keine eigenen Caches</translation>
    </message>
    <message>
        <source>the probe found no effective size of {}: run `tensortide probe --again` on an idle machine, then record again</source>
        <translation>die Messung der Maschine fand keine wirksame Größe von {}: führe `tensortide probe --again` auf einer ruhigen Maschine aus und zeichne dann neu auf</translation>
    </message>
    <message>
        <source>the machine lists {} cache levels, at most {} are modelled</source>
        <translation>die Maschine nennt {} Cache-Ebenen, höchstens {} werden modelliert</translation>
    </message>
    <message>
        <source>{:.4g} MiB</source>
        <translation>{:.4g} MiB</translation>
    </message>
    <message>
        <source>{:.4g} KiB</source>
        <translation>{:.4g} KiB</translation>
    </message>
    <message>
        <source>Modelled bytes are unknown: </source>
        <translation>Modellierte Bytes sind unbekannt: </translation>
    </message>
    <message>
        <source>. Compulsory bytes are exact.</source>
        <translation>. Zwingende Bytes sind exakt.</translation>
    </message>
    <message>
        <source> as the system claims</source>
        <translation> nach Angabe des Systems</translation>
    </message>
    <message>
        <source>Modelled: fully associative LRU over {} in the steady state, effective sizes for {} ({}). Write-allocate (but for non-temporal stores), write-back on eviction. GEMMs, also inside attention and recurrent layers, at the I/O lower bound of their level; real tiles move more. Error band ± 20 % at DRAM and L3, ± 10 % nearer. It doubles where the working set is within 30 % of a capacity, or between probed and claimed size.</source>
        <translation>Modelliert: vollassoziatives LRU über {} im eingeschwungenen Zustand, wirksame Größen für {} ({}). Write-Allocate (außer bei nicht temporären Schreibzugriffen), Zurückschreiben bei Verdrängung. GEMMs, auch in Attention und rekurrenten Schichten, an der unteren I/O-Schranke ihrer Ebene; wirkliche Kacheln bewegen mehr. Fehlerband ± 20 % bei DRAM und L3, ± 10 % näher am Kern. Es verdoppelt sich, wo die Arbeitsmenge höchstens 30 % von einer Kapazität entfernt ist oder zwischen gemessener und angegebener Größe liegt.</translation>
    </message>
    <message>
        <source>the addresses of all tensors</source>
        <translation>die Adressen aller Tensoren</translation>
    </message>
    <message>
        <source>{} has {} the memory bandwidth and {} the arithmetic of {}.</source>
        <translation>{} hat {} der Speicherbandbreite und {} der Rechenleistung von {}.</translation>
    </message>
    <message>
        <source>Sources of {}: {}.</source>
        <translation>Quellen von {}: {}.</translation>
    </message>
    <message>
        <source>implicit product, tiles of {} x {}{}</source>
        <translation>implizites Produkt, Kacheln von {} x {}{}</translation>
    </message>
    <message>
        <source>, depth in {} parts</source>
        <translation>, Tiefe in {} Teilen</translation>
    </message>
    <message>
        <source>Winograd, 2 x 2 results</source>
        <translation>Winograd, 2 x 2 Ergebnisse</translation>
    </message>
    <message>
        <source>Winograd, {0} x {0} results, {1} products</source>
        <translation>Winograd, {0} x {0} Ergebnisse, {1} Produkte</translation>
    </message>
    <message>
        <source>{} groups, each by {}</source>
        <translation>{} Gruppen, je: {}</translation>
    </message>
    <message>
        <source>tiles of {} x {}{}</source>
        <translation>Kacheln von {} x {}{}</translation>
    </message>
    <message>
        <source>{} kernels, coalesced</source>
        <translation>{} Kernel, zusammenhängende Zugriffe</translation>
    </message>
    <message>
        <source>{} steps, each in {}</source>
        <translation>{} Schritte, je: {}</translation>
    </message>
    <message>
        <source>inputs at once, then </source>
        <translation>Eingaben auf einmal, dann </translation>
    </message>
    <message>
        <source>not modelled: </source>
        <translation>nicht modelliert: </translation>
    </message>
    <message>
        <source>its bytes are unknown</source>
        <translation>die Bytes sind unbekannt</translation>
    </message>
    <message>
        <source>more arithmetic than bytes, and no tiles of this op are known</source>
        <translation>mehr Arithmetik als Bytes, und für diese Op sind keine Kacheln bekannt</translation>
    </message>
    <message>
        <source>its time is not that of a kernel on the device&apos;s memory</source>
        <translation>die Zeit ist nicht die eines Kernels auf dem Speicher des Geräts</translation>
    </message>
    <message>
        <source>decompositions wait for their own steps; neither bytes nor tiles give their time</source>
        <translation>Zerlegungen warten auf ihre eigenen Schritte; weder Bytes noch Kacheln ergeben ihre Zeit</translation>
    </message>
    <message>
        <source>its kernels were not compared with measurements</source>
        <translation>die Kernel wurden nicht mit Messungen verglichen</translation>
    </message>
    <message>
        <source>only f32 GEMMs were compared with measurements</source>
        <translation>nur f32-GEMMs wurden mit Messungen verglichen</translation>
    </message>
    <message>
        <source>its shapes are not those of such an op</source>
        <translation>die Formen sind nicht die einer solchen Op</translation>
    </message>
    <message>
        <source>: depthwise, by its bytes; not compared with measurements</source>
        <translation>: depthwise, nach Bytes; nicht mit Messungen verglichen</translation>
    </message>
    <message>
        <source>counting bytes on the GPU</source>
        <translation>Zählung der Bytes auf der GPU</translation>
    </message>
    <message>
        <source>counting bytes on the GPUs</source>
        <translation>Zählung der Bytes auf den GPUs</translation>
    </message>
    <message>
        <source>counting hit rates on the GPU</source>
        <translation>Zählung der Trefferraten auf der GPU</translation>
    </message>
    <message>
        <source>counting hit rates on the GPUs</source>
        <translation>Zählung der Trefferraten auf den GPUs</translation>
    </message>
    <message>
        <source>row</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>more row</source>
        <translation>weitere Zeile</translation>
    </message>
    <message>
        <source>more rows</source>
        <translation>weitere Zeilen</translation>
    </message>
    <message>
        <source>record is</source>
        <translation>Eintrag ist</translation>
    </message>
    <message>
        <source>records are</source>
        <translation>Einträge sind</translation>
    </message>
    <message>
        <source>event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>other reason</source>
        <translation>weiterer Grund</translation>
    </message>
    <message>
        <source>other reasons</source>
        <translation>weitere Gründe</translation>
    </message>
    <message>
        <source>figure</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>figures</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>other row</source>
        <translation>andere Zeile</translation>
    </message>
    <message>
        <source>other rows</source>
        <translation>andere Zeilen</translation>
    </message>
    <message>
        <source>more point</source>
        <translation>weiterer Punkt</translation>
    </message>
    <message>
        <source>more points</source>
        <translation>weitere Punkte</translation>
    </message>
    <message>
        <source> ({} to {} over {})</source>
        <translation> ({} bis {} über {})</translation>
    </message>
    <message>
        <source>The loss is {} after {} of training (measured).</source>
        <translation>Der Verlust ist {} (nach {} Training, gemessen).</translation>
    </message>
    <message>
        <source>{}: the loss is {} after {} of training (measured).</source>
        <translation>{}: der Verlust ist {} (nach {} Training, gemessen).</translation>
    </message>
    <message>
        <source> It does not fall: nothing was learned.</source>
        <translation> Er fällt nicht: es wurde nichts gelernt.</translation>
    </message>
    <message>
        <source>Loss after {}: {}</source>
        <translation>Verlust nach Training ({}): {}</translation>
    </message>
    <message>
        <source>Setting of this point</source>
        <translation>Einstellung dieses Punktes</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>seeds</source>
        <translation>Seeds</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>no good cell of a {}</source>
        <translation>keine gute Zelle ({})</translation>
    </message>
    <message>
        <source>fastest good cell of a {} {} ({}, {})</source>
        <translation>schnellste gute Zelle ({}): {} ({}, {})</translation>
    </message>
    <message>
        <source>{} here ({}{}): {} (measured).</source>
        <translation>{} hier ({}{}): {} (gemessen).</translation>
    </message>
    <message>
        <source>{}: {} of {} rows {} not like for like, and in no ranking: {}.</source>
        <translation>{}: {} von {} Zeilen {} nicht vergleichbar und in keiner Rangfolge: {}.</translation>
    </message>
    <message>
        <source>{}, {}, {}: {} is {} of the peak: impossible.</source>
        <translation>{}, {}, {}: {} ist {} der Spitze: unmöglich.</translation>
    </message>
    <message>
        <source>A dash in the table: not run or not supported. </source>
        <translation>Ein Strich in der Tabelle: nicht ausgeführt oder nicht unterstützt. </translation>
    </message>
    <message>
        <source>Which of both, and why, is not known.</source>
        <translation>Welches von beiden, und warum, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>{} of the {}</source>
        <translation>{1} ({0})</translation>
    </message>
    <message>
        <source>The network of this row would need {}, {} of the peak of {}.{}{}</source>
        <translation>Das Netz dieser Zeile bräuchte {}, {} der Spitze von {}.{}{}</translation>
    </message>
    <message>
        <source>; {} published for {} ({})</source>
        <translation>; {} veröffentlicht für {} ({})</translation>
    </message>
    <message>
        <source>{}: {} here</source>
        <translation>{}: {} hier</translation>
    </message>
    <message>
        <source>; no good cell has {}</source>
        <translation>; keine gute Zelle hat {}</translation>
    </message>
    <message>
        <source>Published times: Table 7 of {}. {} that are doubtful, not like for like or impossible {} left out. The machines are others: compare the shapes of curves, not times.</source>
        <translation>Veröffentlichte Zeiten: Tabelle 7 von {}. {} (zweifelhaft, nicht vergleichbar oder unmöglich) {} ausgelassen. Die Maschinen sind andere: vergleiche die Formen der Kurven, nicht die Zeiten.</translation>
    </message>
    <message>
        <source>cell</source>
        <translation>Zelle</translation>
    </message>
    <message>
        <source>cells</source>
        <translation>Zellen</translation>
    </message>
    <message>
        <source>{}-&gt;{} sim.</source>
        <translation>{}-&gt;{} sim.</translation>
    </message>
    <message>
        <source>Bytes over this link per step, by the cache simulation; unknown where an op has no access model</source>
        <translation>Bytes über diese Verbindung je Schritt, nach der Cache-Simulation; unbekannt, wo eine Op kein Zugriffsmodell hat</translation>
    </message>
    <message>
        <source>Simulated bytes over this link / step (measured)</source>
        <translation>Simulierte Bytes über diese Verbindung / Schritt (gemessen)</translation>
    </message>
    <message>
        <source>Bytes over this link per step, by the traffic model</source>
        <translation>Bytes über diese Verbindung je Schritt, nach dem Verkehrsmodell</translation>
    </message>
    <message>
        <source>{}-&gt;{}/sample</source>
        <translation>{}-&gt;{}/Beispiel</translation>
    </message>
    <message>
        <source>Bytes over this link per sample, by the traffic model</source>
        <translation>Bytes über diese Verbindung je Beispiel, nach dem Verkehrsmodell</translation>
    </message>
    <message>
        <source>{} at {:g}</source>
        <translation>{} bei {:g}</translation>
    </message>
    <message>
        <source>Its points: settings, times, rates, bytes, limit</source>
        <translation>Ihre Punkte: Einstellungen, Zeiten, Raten, Bytes, Grenze</translation>
    </message>
    <message>
        <source>Its curves: knees, serial share, cache cliffs</source>
        <translation>Ihre Kurven: Knie, serieller Anteil, Cache-Stufen</translation>
    </message>
    <message>
        <source>Losses of its trainings after 1, 2, 5, ... steps</source>
        <translation>Verluste ihrer Trainings nach 1, 2, 5, ... Schritten</translation>
    </message>
    <message>
        <source>Final loss of each setting over seeds, with time and bytes</source>
        <translation>Endverlust jeder Einstellung über Seeds, mit Zeit und Bytes</translation>
    </message>
    <message>
        <source>Its points beside published times</source>
        <translation>Ihre Punkte neben veröffentlichten Zeiten</translation>
    </message>
    <message>
        <source> {} binds on both sides.</source>
        <translation> Auf beiden Seiten begrenzt: {}.</translation>
    </message>
    <message>
        <source> Below it {} binds, above it {}.</source>
        <translation> Darunter begrenzt {}, darüber {}.</translation>
    </message>
    <message>
        <source>1 {} point is left out</source>
        <translation>1 Punkt ({}) ist ausgelassen</translation>
    </message>
    <message>
        <source>{} {} points are left out</source>
        <translation>{} Punkte ({}) sind ausgelassen</translation>
    </message>
    <message>
        <source>no value of {} is called the fastest: {} of the {} points that ran {} {}.</source>
        <translation>kein Wert von {} gilt als der schnellste: {} von {} gelaufenen Punkten {} {}.</translation>
    </message>
    <message>
        <source>the steps differ by no more than they scatter ({} to {}): no value of {} is the fastest{}.</source>
        <translation>die Schritte unterscheiden sich um nicht mehr, als sie streuen ({} bis {}): kein Wert von {} ist der schnellste{}.</translation>
    </message>
    <message>
        <source>the fastest step is at {} = {:g} ({}), the slowest at {} = {:g} ({}, {:.3g} times as long) (measured{}).</source>
        <translation>der schnellste Schritt ist bei {} = {:g} ({}), der langsamste bei {} = {:g} ({}, {:.3g}-mal so lang) (gemessen{}).</translation>
    </message>
    <message>
        <source>a batch of up to {:g} is almost as fast as one sample: {:.3g} times its time</source>
        <translation>ein Batch bis {:g} ist fast so schnell wie ein einzelnes Beispiel: {:.3g}-mal dessen Zeit</translation>
    </message>
    <message>
        <source>no larger batch is almost as fast as one sample: {:g} samples take {:.3g} times its time</source>
        <translation>kein größerer Batch ist fast so schnell wie ein einzelnes Beispiel: {:g} Beispiele dauern {:.3g}-mal so lange</translation>
    </message>
    <message>
        <source>, {:g} samples take {:.3g} times</source>
        <translation>, {:g} Beispiele dauern {:.3g}-mal so lange</translation>
    </message>
    <message>
        <source> (measured; at most {:g} times</source>
        <translation> (gemessen; höchstens {:g}-mal so lang</translation>
    </message>
    <message>
        <source>; roofline prediction {}{:g} (modelled)</source>
        <translation>; Vorhersage der Roofline {}{:g} (modelliert)</translation>
    </message>
    <message>
        <source>at least </source>
        <translation>mindestens </translation>
    </message>
    <message>
        <source>batch = </source>
        <translation>Batch = </translation>
    </message>
    <message>
        <source>Almost as fast as one sample up to {}</source>
        <translation>Fast so schnell wie ein einzelnes Beispiel bis {}</translation>
    </message>
    <message>
        <source>no law of time over {} is fitted: {} of the {} points that ran {} {}.</source>
        <translation>an die Zeit über {} ist kein Gesetz angepasst: {} von {} gelaufenen Punkten {} {}.</translation>
    </message>
    <message>
        <source>no law of time over {} is fitted. No plateau, proportional growth or knee (two points on each side) fits the measured steps within a factor of {:g}. The nearer of the first two is off by {:.3g} (root mean square).</source>
        <translation>an die Zeit über {} ist kein Gesetz angepasst. Weder Plateau noch proportionales Wachstum noch Knie (zwei Punkte auf jeder Seite) passt innerhalb eines Faktors von {:g} zu den gemessenen Schritten. Das nähere der ersten beiden liegt um {:.3g} daneben (quadratisches Mittel).</translation>
    </message>
    <message>
        <source>a knee needs values of {} above 0.</source>
        <translation>ein Knie braucht Werte von {} über 0.</translation>
    </message>
    <message>
        <source>no knee within these values of {}: time per step follows one law all along (fit error {:.0f} %{}).</source>
        <translation>kein Knie in diesen Werten von {}: die Zeit je Schritt folgt durchweg einem einzigen Gesetz (Fehler der Anpassung {:.0f} %{}).</translation>
    </message>
    <message>
        <source>a knee needs at least four values of {} that ran and are not {}; there are {}.</source>
        <translation>ein Knie braucht mindestens vier Werte von {}, die liefen und nicht {} sind; vorhanden: {}.</translation>
    </message>
    <message>
        <source>a knee needs at least four values of {} that ran; {} did.</source>
        <translation>ein Knie braucht mindestens vier Werte von {}, die liefen; gelaufen: {}.</translation>
    </message>
    <message>
        <source>a knee needs at least four values of {}.</source>
        <translation>ein Knie braucht mindestens vier Werte von {}.</translation>
    </message>
    <message>
        <source> The roofs predict a knee at {:.3g}.</source>
        <translation> Die Dächer sagen ein Knie bei {:.3g} voraus.</translation>
    </message>
    <message>
        <source>the knee is at {} = {:.3g} (measured; fit error {:.0f} %{})</source>
        <translation>das Knie liegt bei {} = {:.3g} (gemessen; Fehler der Anpassung {:.0f} %{})</translation>
    </message>
    <message>
        <source>; roofline prediction {:.3g} (modelled).</source>
        <translation>; Vorhersage der Roofline {:.3g} (modelliert).</translation>
    </message>
    <message>
        <source> The bandwidth is {} at {} = {:g} and {} at {} = {:g} (measured).</source>
        <translation> Die Bandbreite ist {} bei {} = {:g} und {} bei {} = {:g} (gemessen).</translation>
    </message>
    <message>
        <source>{} overflows at {} = {:g}</source>
        <translation>{} läuft über bei {} = {:g}</translation>
    </message>
    <message>
        <source>, {} at {:g}</source>
        <translation>, {} bei {:g}</translation>
    </message>
    <message>
        <source>; {} at most, {} behind {} (measured)</source>
        <translation>; {} höchstens, {} hinter {} (gemessen)</translation>
    </message>
    <message>
        <source>Whether arrays lie in huge pages is unknown: the machine of these points does not say.</source>
        <translation>Ob Arrays in großen Seiten (huge pages) liegen, ist unbekannt: die Maschine dieser Punkte sagt es nicht.</translation>
    </message>
    <message>
        <source>Arrays from 4 MiB on ask for huge pages (2 MiB); the system&apos;s setting is {}{}.</source>
        <translation>Arrays ab 4 MiB fordern große Seiten (2 MiB) an; die Einstellung des Systems ist {}{}.</translation>
    </message>
    <message>
        <source>, so they have none, and misses of the TLB add to long latencies</source>
        <translation>, also haben sie keine, und TLB-Fehlzugriffe verlängern lange Latenzen</translation>
    </message>
    <message>
        <source>bytes come from {} that did not before (modelled)</source>
        <translation>Bytes kommen aus {}, die vorher nicht von dort kamen (modelliert)</translation>
    </message>
    <message>
        <source>{:.3g} times the bytes per {} come from {} (modelled)</source>
        <translation>{:.3g}-mal so viele Bytes je {} kommen aus {} (modelliert)</translation>
    </message>
    <message>
        <source>; time per {} is {:.3g} times the one before (measured).</source>
        <translation>; die Zeit je {} ist {:.3g}-mal so lang wie die davor (gemessen).</translation>
    </message>
    <message>
        <source>{} no longer holds what is reused: {}{}</source>
        <translation>{} hält nicht mehr, was wiederverwendet wird, und {}{}</translation>
    </message>
    <message>
        <source> up to {}, one a core</source>
        <translation> mit bis zu {} auf eigenen Kernen</translation>
    </message>
    <message>
        <source>Amdahl&apos;s law does not describe these times{}: its nearest fit is off by {:.1f} % of the one-thread step.</source>
        <translation>Amdahls Gesetz beschreibt diese Zeiten{} nicht: die beste Anpassung liegt um {:.1f} % des Schritts mit einem Thread daneben.</translation>
    </message>
    <message>
        <source>Amdahl&apos;s fit{}: {:.1f} % of the one-thread step does not get faster with threads ({}).</source>
        <translation>Anpassung nach Amdahl{}: {:.1f} % des Schritts mit einem Thread werden durch Threads nicht schneller ({}).</translation>
    </message>
    <message>
        <source>from two thread counts, so without an error</source>
        <translation>aus zwei Threadzahlen, also ohne Fehlerangabe</translation>
    </message>
    <message>
        <source>fit error {:.1f} % of that step</source>
        <translation>Fehler der Anpassung {:.1f} % dieses Schritts</translation>
    </message>
    <message>
        <source> This serial part is between {:.1f} and {:.1f} % ({}).</source>
        <translation> Dieser serielle Anteil liegt zwischen {:.1f} und {:.1f} % ({}).</translation>
    </message>
    <message>
        <source>spread of both times</source>
        <translation>Streuung beider Zeiten</translation>
    </message>
    <message>
        <source>{:g} threads are {:.3g} times as fast as one (measured{}{})</source>
        <translation>{:g} Threads sind {:.3g}-mal so schnell wie einer (gemessen{}{})</translation>
    </message>
    <message>
        <source>{}, {:.0f} % of what each could give.</source>
        <translation>{}, {:.0f} % dessen, was jeder geben könnte.</translation>
    </message>
    <message>
        <source>{}, on {}: beyond those two share one (hyper-threads), or wait for one, and no law is fitted.</source>
        <translation>{}; es gibt {}: darüber hinaus teilen sich zwei einen Kern (Hyper-Threads) oder warten auf einen, und kein Gesetz ist angepasst.</translation>
    </message>
    <message>
        <source>{} per access {}{}</source>
        <translation>{} je Zugriff {}{}</translation>
    </message>
    <message>
        <source>{:.3g} ns</source>
        <translation>{:.3g} ns</translation>
    </message>
    <message>
        <source>{} ({}): {}, {} (measured).</source>
        <translation>{} ({}): {}, {} (gemessen).</translation>
    </message>
    <message>
        <source>well inside</source>
        <translation>deutlich innerhalb</translation>
    </message>
    <message>
        <source>just beyond</source>
        <translation>knapp darüber</translation>
    </message>
    <message>
        <source>{} = {:g} ({} as planned)</source>
        <translation>{} = {:g} ({} laut Plan)</translation>
    </message>
    <message>
        <source>{} fits, as predicted, and ran; {} does not fit.</source>
        <translation>{} passt, wie vorhergesagt, und lief; {} passt nicht.</translation>
    </message>
    <message>
        <source>{} of {} that ran {} {} ({}{}): </source>
        <translation>{1} gelaufen, {0} {2} {3} ({4}{5}): </translation>
    </message>
    <message>
        <source>; and {} more</source>
        <translation>; und {} weitere</translation>
    </message>
    <message>
        <source>noisy</source>
        <translation>verrauscht</translation>
    </message>
    <message>
        <source>the interval of the median is wider than a factor of {:g}.</source>
        <translation>das Intervall des Medians umfasst mehr als einen Faktor von {:g}.</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>gewartet</translation>
    </message>
    <message>
        <source>threads waited up to {:.0f} % of a step for processors that other programs held, so the times are longer than the program needs.</source>
        <translation>Threads warteten bis zu {:.0f} % eines Schritts auf Prozessoren, die andere Programme hielten; die Zeiten sind also länger, als das Programm braucht.</translation>
    </message>
    <message>
        <source>{}The clock rate changed by over 5 %, or differed by it from the others, in {} of {}.</source>
        <translation>{0}Die Taktrate änderte sich um über 5 % oder wich um so viel von den anderen ab ({2}, davon betroffen: {1}).</translation>
    </message>
    <message>
        <source>Simulated bytes are unknown at {} of {} measured points. {}: {}</source>
        <translation>Simulierte Bytes sind bei {} von {} gemessenen Punkten unbekannt. {}: {}</translation>
    </message>
    <message>
        <source>{}The caches of {} are not simulated yet.</source>
        <translation>{}Caches noch nicht simuliert: {}.</translation>
    </message>
    <message>
        <source>takes</source>
        <translation>braucht</translation>
    </message>
    <message>
        <source>take</source>
        <translation>brauchen</translation>
    </message>
    <message>
        <source>, {} of the arithmetic peak</source>
        <translation>, {} der Rechenspitze</translation>
    </message>
    <message>
        <source>Each point computes {}: {}; {}.</source>
        <translation>Jeder Punkt berechnet {}: {}; {}.</translation>
    </message>
    <message>
        <source>noisy: {} to {}</source>
        <translation>verrauscht: {} bis {}</translation>
    </message>
    <message>
        <source>queued: {:.0f} % of a step</source>
        <translation>wartend: {:.0f} % eines Schritts</translation>
    </message>
    <message>
        <source>noisy or queued</source>
        <translation>verrauscht oder wartend</translation>
    </message>
    <message>
        <source>Noisy: the interval of the median is wider than a factor of {:g}.</source>
        <translation>Verrauscht: das Intervall des Medians umfasst mehr als einen Faktor von {:g}.</translation>
    </message>
    <message>
        <source>Queued: threads waited {:.0f} % of a step for processors that other programs held.</source>
        <translation>Wartend: Threads warteten {:.0f} % eines Schritts auf Prozessoren, die andere Programme hielten.</translation>
    </message>
    <message>
        <source>: {} limits on both sides</source>
        <translation>: {} begrenzt auf beiden Seiten</translation>
    </message>
    <message>
        <source>: {} limits below it, {} above</source>
        <translation>: {} begrenzt darunter, {} darüber</translation>
    </message>
    <message>
        <source>Knee at {}{}{}{}</source>
        <translation>Knie bei {}{}{}{}</translation>
    </message>
    <message>
        <source>{} measured</source>
        <translation>{} gemessen</translation>
    </message>
    <message>
        <source>specified: {} = {:g} ({}); found / specified {:.2f}.</source>
        <translation>angegeben: {} = {:g} ({}); gefunden / angegeben {:.2f}.</translation>
    </message>
    <message>
        <source>from {} = {:g} on {}</source>
        <translation>ab {} = {:g}: {}</translation>
    </message>
    <message>
        <source>{} of {} {} not fit into memory.</source>
        <translation>{1}: {0} {2} nicht in den Speicher.</translation>
    </message>
    <message>
        <source>does</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>do</source>
        <translation>passen</translation>
    </message>
    <message>
        <source>{} failed: {}</source>
        <translation>{} schlug fehl: {}</translation>
    </message>
    <message>
        <source>Energy is unknown: the machine of these points offers no counter that could be read (tensortide doctor says why).</source>
        <translation>Energie ist unbekannt: die Maschine dieser Punkte hat keinen Zähler, der gelesen werden konnte (tensortide doctor sagt, warum).</translation>
    </message>
    <message>
        <source>point</source>
        <translation>Punkt</translation>
    </message>
    <message>
        <source>points</source>
        <translation>Punkte</translation>
    </message>
    <message>
        <source>no op: cause unknown</source>
        <translation>keine Op: Ursache unbekannt</translation>
    </message>
    <message>
        <source>between steps</source>
        <translation>zwischen Schritten</translation>
    </message>
    <message>
        <source>between ops of a step</source>
        <translation>zwischen Ops eines Schritts</translation>
    </message>
    <message>
        <source>step not traced: its ops are unknown</source>
        <translation>Schritt nicht aufgezeichnet: seine Ops sind unbekannt</translation>
    </message>
    <message>
        <source>idle: the launch of the next kernel is not recorded</source>
        <translation>Leerlauf: der Start des nächsten Kernels ist nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>idle: the host waited for the device before it launched more</source>
        <translation>Leerlauf: der Host wartete auf das Gerät, bevor er mehr startete</translation>
    </message>
    <message>
        <source>idle: between steps</source>
        <translation>Leerlauf: zwischen Schritten</translation>
    </message>
    <message>
        <source>idle: the host launches too late</source>
        <translation>Leerlauf: der Host startet zu spät</translation>
    </message>
    <message>
        <source>idle: the host fetched its data</source>
        <translation>Leerlauf: der Host holte seine Daten</translation>
    </message>
    <message>
        <source>idle: launched, on its way</source>
        <translation>Leerlauf: gestartet, unterwegs</translation>
    </message>
    <message>
        <source>idle: launched, but held by an event, another program or work from before the trace</source>
        <translation>Leerlauf: gestartet, aber aufgehalten von einem Event, einem anderen Programm oder Arbeit von vor der Aufzeichnung</translation>
    </message>
    <message>
        <source>idle: waits for a copy</source>
        <translation>Leerlauf: wartet auf eine Kopie</translation>
    </message>
    <message>
        <source>idle: launched, but waits for another stream or to start</source>
        <translation>Leerlauf: gestartet, wartet aber auf einen anderen Stream oder auf den Beginn</translation>
    </message>
    <message>
        <source>Queue depth, </source>
        <translation>Tiefe der Warteschlange, </translation>
    </message>
    <message>
        <source>Kernels, copies and fills that were launched (the call has begun) and have not begun themselves (measured). A column shows its largest value. 0 while the device works: the host launches too late.</source>
        <translation>Kernel, Kopien und Füllungen, die gestartet wurden (der Aufruf hat begonnen) und selbst nicht begonnen haben (gemessen). Eine Spalte zeigt den größten Wert. 0, während das Gerät arbeitet: der Host startet zu spät.</translation>
    </message>
    <message>
        <source> Kept as the largest value of each 1/65536 of the capture.</source>
        <translation> Behalten als größter Wert je 1/65536 der Aufzeichnung.</translation>
    </message>
    <message>
        <source>GPU {}</source>
        <translation>GPU {}</translation>
    </message>
    <message>
        <source>  idle: {}</source>
        <translation>  Leerlauf: {}</translation>
    </message>
    <message>
        <source>kernels run</source>
        <translation>Kernel laufen</translation>
    </message>
    <message>
        <source>communication runs</source>
        <translation>Kommunikation läuft</translation>
    </message>
    <message>
        <source>communication, nothing computes</source>
        <translation>Kommunikation, nichts rechnet</translation>
    </message>
    <message>
        <source>copies run</source>
        <translation>Kopien laufen</translation>
    </message>
    <message>
        <source>copies beside kernels</source>
        <translation>Kopien neben Kernels</translation>
    </message>
    <message>
        <source>the host was inside CUDA calls</source>
        <translation>der Host war in CUDA-Aufrufen</translation>
    </message>
    <message>
        <source>the host was waiting for the GPU</source>
        <translation>der Host wartete auf die GPU</translation>
    </message>
    <message>
        <source>the host fetched its data</source>
        <translation>der Host holte seine Daten</translation>
    </message>
    <message>
        <source>the host did something else</source>
        <translation>der Host tat etwas anderes</translation>
    </message>
    <message>
        <source>launched, on its way</source>
        <translation>gestartet, unterwegs</translation>
    </message>
    <message>
        <source>launched before, queued</source>
        <translation>früher gestartet, in der Warteschlange</translation>
    </message>
    <message>
        <source>launched, but held</source>
        <translation>gestartet, aber aufgehalten</translation>
    </message>
    <message>
        <source>the launch of the next is not recorded</source>
        <translation>der Start des nächsten ist nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>ops run</source>
        <translation>Ops laufen</translation>
    </message>
    <message>
        <source>  idle: between ops of a step</source>
        <translation>  Leerlauf: zwischen Ops eines Schritts</translation>
    </message>
    <message>
        <source>  in untraced steps: ops unknown</source>
        <translation>  in nicht aufgezeichneten Schritten: Ops unbekannt</translation>
    </message>
    <message>
        <source>  idle: outside steps</source>
        <translation>  Leerlauf: außerhalb von Schritten</translation>
    </message>
    <message>
        <source>{}: kernels {}</source>
        <translation>{}: Kernel {}</translation>
    </message>
    <message>
        <source>, communication alone {}</source>
        <translation>, Kommunikation allein {}</translation>
    </message>
    <message>
        <source>, copies {} ({} of them beside kernels)</source>
        <translation>, Kopien {} ({} davon neben Kernels)</translation>
    </message>
    <message>
        <source>, idle {}</source>
        <translation>, Leerlauf {}</translation>
    </message>
    <message>
        <source> roof </source>
        <translation>-Dach </translation>
    </message>
    <message>
        <source>The line is the </source>
        <translation>Die Linie ist: </translation>
    </message>
    <message>
        <source>, as in Roofline: what this machine reached in its probe with </source>
        <translation>, wie in der Roofline: was diese Maschine bei ihrer Messung erreichte mit </translation>
    </message>
    <message>
        <source>, for this run&apos;s mix of reads and writes</source>
        <translation>, für den Anteil von Lesen und Schreiben dieses Laufs</translation>
    </message>
    <message>
        <source>Peaks above it (in the colour of warnings) are no faster memory: times are measured, bytes are </source>
        <translation>Spitzen darüber (in der Farbe von Warnungen) sind kein schnellerer Speicher: Zeiten sind gemessen, Bytes sind </translation>
    </message>
    <message>
        <source>. An op faster than its bytes allow at the roof found part of them in a cache, or memory was faster than during the probe.</source>
        <translation>. Eine Op, die schneller ist, als ihre Bytes am Dach erlauben, fand einen Teil davon in einem Cache, oder der Speicher war schneller als bei der Messung der Maschine.</translation>
    </message>
    <message>
        <source>Bytes of all tensors alive while an op runs, weights and optimiser state included (exact, from the memory plan).</source>
        <translation>Bytes aller Tensoren, die leben, während eine Op läuft, mit Gewichten und Zustand des Optimierers (exakt, aus dem Speicherplan).</translation>
    </message>
    <message>
        <source>Device memory traffic</source>
        <translation>Verkehr des Gerätespeichers</translation>
    </message>
    <message>
        <source>Bytes between L2 and the GPU&apos;s memory, counted per op in a separate run and spread evenly over the op&apos;s kernels here. The area under the curve is the byte count at every zoom.</source>
        <translation>Bytes zwischen L2 und dem Speicher der GPU, je Op in einem eigenen Lauf gezählt und hier gleichmäßig über die Kernel der Op verteilt. Die Fläche unter der Kurve ist bei jedem Zoom die Zahl der Bytes.</translation>
    </message>
    <message>
        <source>memory roof </source>
        <translation>Dach des Speichers </translation>
    </message>
    <message>
        <source> (specified)</source>
        <translation> (angegeben)</translation>
    </message>
    <message>
        <source>: what the device&apos;s data sheet allows. Peaks above it (in the colour of warnings): bytes were counted in a separate run, in which the same kernels may have moved more.</source>
        <translation>: was das Datenblatt des Geräts erlaubt. Spitzen darüber (in der Farbe von Warnungen): Bytes wurden in einem eigenen Lauf gezählt, in dem dieselben Kernel mehr bewegt haben können.</translation>
    </message>
    <message>
        <source>unknown: the GPU&apos;s counters were not read. Record with GPU kernels and GPU counters</source>
        <translation>unbekannt: die Zähler der GPU wurden nicht gelesen. Zeichne mit GPU-Kernels und GPU-Zählern auf</translation>
    </message>
    <message>
        <source>FLOP/s: exact FLOPs of each op, spread evenly over its kernels (measured times).</source>
        <translation>FLOP/s: exakte FLOPs jeder Op, gleichmäßig über ihre Kernel verteilt (gemessene Zeiten).</translation>
    </message>
    <message>
        <source>Bytes between DRAM and the last cache, </source>
        <translation>Bytes zwischen DRAM und dem letzten Cache, </translation>
    </message>
    <message>
        <source> per op and spread evenly over the op&apos;s measured time. The area under the curve is the byte count at every zoom.</source>
        <translation> je Op und gleichmäßig über die gemessene Zeit der Op verteilt. Die Fläche unter der Kurve ist bei jedem Zoom die Zahl der Bytes.</translation>
    </message>
    <message>
        <source>nothing crosses: the step stays in the caches (</source>
        <translation>nichts kommt herüber: der Schritt bleibt in den Caches (</translation>
    </message>
    <message>
        <source>FLOP/s: exact FLOPs of each op, spread evenly over its measured time.</source>
        <translation>FLOP/s: exakte FLOPs jeder Op, gleichmäßig über ihre gemessene Zeit verteilt.</translation>
    </message>
    <message>
        <source>Peaks above it (in the colour of warnings): a kernel was faster than the probe&apos;s best.</source>
        <translation>Spitzen darüber (in der Farbe von Warnungen): ein Kernel war schneller als der beste der Messung der Maschine.</translation>
    </message>
    <message>
        <source>Bytes per second of copies from </source>
        <translation>Bytes je Sekunde der Kopien von </translation>
    </message>
    <message>
        <source>, spread evenly over each copy&apos;s time (measured). The area under the curve is the byte count at every zoom.</source>
        <translation>, gleichmäßig über die Zeit jeder Kopie verteilt (gemessen). Die Fläche unter der Kurve ist bei jedem Zoom die Zahl der Bytes.</translation>
    </message>
    <message>
        <source> Not in it: </source>
        <translation> Nicht darin: </translation>
    </message>
    <message>
        <source> copies of unknown size.</source>
        <translation> Kopien unbekannter Größe.</translation>
    </message>
    <message>
        <source>unknown: the trace does not hold the sizes of copies</source>
        <translation>unbekannt: die Spur enthält die Größen der Kopien nicht</translation>
    </message>
    <message>
        <source>What each training step put out as its loss; it holds until the next step&apos;s end, a column shows the largest.</source>
        <translation>Was jeder Trainingsschritt als Verlust ausgab; er gilt bis zum Ende des nächsten Schritts, eine Spalte zeigt den größten.</translation>
    </message>
    <message>
        <source>1 from the end of the first step with a loss of NaN or infinity: this training has failed.</source>
        <translation>1 ab dem Ende des ersten Schritts mit einem Verlust von NaN oder unendlich: dieses Training ist gescheitert.</translation>
    </message>
    <message>
        <source>Recorded in the trace; each value holds until the next, a column shows its largest.</source>
        <translation>In der Spur aufgezeichnet; jeder Wert gilt bis zum nächsten, eine Spalte zeigt den größten.</translation>
    </message>
    <message>
        <source>unknown: the trace holds no value of it within its time</source>
        <translation>unbekannt: die Spur enthält innerhalb ihrer Zeit keinen Wert davon</translation>
    </message>
    <message>
        <source>FLOP/s: FLOPs in the trace or from its shapes, spread evenly over the </source>
        <translation>FLOP/s: FLOPs aus der Spur oder aus ihren Formen, gleichmäßig verteilt über die </translation>
    </message>
    <message>
        <source>kernels of each op</source>
        <translation>Kernel jeder Op</translation>
    </message>
    <message>
        <source>time of each op</source>
        <translation>Zeit jeder Op</translation>
    </message>
    <message>
        <source> (measured). FLOPs are known of </source>
        <translation> (gemessen). FLOPs sind bekannt von </translation>
    </message>
    <message>
        <source> of </source>
        <translation> von </translation>
    </message>
    <message>
        <source> ops that ran; the others count nothing.</source>
        <translation> Ops, die liefen; die anderen zählen nichts.</translation>
    </message>
    <message>
        <source>warm-up {}</source>
        <translation>Aufwärmen {}</translation>
    </message>
    <message>
        <source>step {}{}</source>
        <translation>Schritt {}{}</translation>
    </message>
    <message>
        <source> (not traced)</source>
        <translation> (nicht aufgezeichnet)</translation>
    </message>
    <message>
        <source>One pass over all ops of the plan. Steps that are not traced measure what profiling costs.</source>
        <translation>Ein Durchgang durch alle Ops des Plans. Schritte, die nicht aufgezeichnet werden, messen, was das Profiling kostet.</translation>
    </message>
    <message>
        <source>Consecutive ops of one layer in one phase; backward ops keep the layer that wrote them.</source>
        <translation>Aufeinanderfolgende Ops einer Schicht in einer Phase; Rückwärts-Ops behalten die Schicht, die sie schrieb.</translation>
    </message>
    <message>
        <source>layers, depth {}</source>
        <translation>Schichten, Tiefe {}</translation>
    </message>
    <message>
        <source>phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Forward, backward and update: runs of ops of one phase.</source>
        <translation>Vorwärts, rückwärts und Update: Folgen von Ops einer Phase.</translation>
    </message>
    <message>
        <source>ops of {}</source>
        <translation>Ops von {}</translation>
    </message>
    <message>
        <source>One op: the time its kernel took on this track (measured).</source>
        <translation>Eine Op: die Zeit, die ihr Kernel auf dieser Spur brauchte (gemessen).</translation>
    </message>
    <message>
        <source>no op runs</source>
        <translation>keine Op läuft</translation>
    </message>
    <message>
        <source>Gaps between ops of {} ns and more (the {} longest at most), and their place in a step (measured).</source>
        <translation>Lücken zwischen Ops von {} ns und mehr (höchstens die {} längsten) und ihr Platz im Schritt (gemessen).</translation>
    </message>
    <message>
        <source>no kernel runs</source>
        <translation>kein Kernel läuft</translation>
    </message>
    <message>
        <source>Gaps of {} ns and more (the {} longest at most) without a kernel on any stream of {}. The cause follows from the launch of the next one (derived from measured times).</source>
        <translation>Lücken von {} ns und mehr (höchstens die {} längsten) ohne einen Kernel auf irgendeinem Stream von {}. Die Ursache folgt aus dem Start des nächsten (aus gemessenen Zeiten abgeleitet).</translation>
    </message>
    <message>
        <source>A kernel on this stream; those that ran at once are in several lanes (measured).</source>
        <translation>Ein Kernel auf diesem Stream; solche, die zugleich liefen, stehen auf mehreren Spuren (gemessen).</translation>
    </message>
    <message>
        <source>copies of {}</source>
        <translation>Kopien von {}</translation>
    </message>
    <message>
        <source>A copy or fill of device memory on this stream (measured).</source>
        <translation>Eine Kopie oder Füllung von Gerätespeicher auf diesem Stream (gemessen).</translation>
    </message>
    <message>
        <source>ranges of {}</source>
        <translation>Bereiche von {}</translation>
    </message>
    <message>
        <source>Ranges that were named on this stream (measured).</source>
        <translation>Bereiche, die auf diesem Stream benannt wurden (gemessen).</translation>
    </message>
    <message>
        <source>Ranges that this thread named, nested (measured).</source>
        <translation>Bereiche, die dieser Thread benannte, verschachtelt (gemessen).</translation>
    </message>
    <message>
        <source>API calls</source>
        <translation>API-Aufrufe</translation>
    </message>
    <message>
        <source>A call of this thread into the device&apos;s driver or run time (measured).</source>
        <translation>Ein Aufruf dieses Threads in Treiber oder Laufzeit des Geräts (gemessen).</translation>
    </message>
    <message>
        <source>A copy or fill of device memory (measured).</source>
        <translation>Eine Kopie oder Füllung von Gerätespeicher (gemessen).</translation>
    </message>
    <message>
        <source>The profiler&apos;s own work, kept visible (measured).</source>
        <translation>Die eigene Arbeit des Profilers, sichtbar gelassen (gemessen).</translation>
    </message>
    <message>
        <source>What this track did (measured).</source>
        <translation>Was auf dieser Spur geschah (gemessen).</translation>
    </message>
    <message>
        <source>waits of {}</source>
        <translation>Warten von {}</translation>
    </message>
    <message>
        <source>The thread or stream waited for others (measured).</source>
        <translation>Der Thread oder Stream wartete auf andere (gemessen).</translation>
    </message>
    <message>
        <source>Variant</source>
        <translation>Variante</translation>
    </message>
    <message>
        <source>imagenet: the network of 2012 for 224 x 224 images; cifar10: the small one for 32 x 32 images.</source>
        <translation>imagenet: das Netz von 2012 für Bilder von 224 x 224; cifar10: das kleine für Bilder von 32 x 32.</translation>
    </message>
    <message>
        <source>The network that brought deep learning to GPUs. Five convolutions hold 6 % of its 62 million weights and do 95 % of the arithmetic. Three fully connected layers hold the rest and are memory-bound at small batches.</source>
        <translation>Das Netz, das Deep Learning auf die GPUs brachte. Fünf Faltungen enthalten 6 % seiner 62 Millionen Gewichte und leisten 95 % der Arithmetik. Drei vollverbundene Schichten enthalten den Rest und sind bei kleinen Batches vom Speicher begrenzt.</translation>
    </message>
    <message>
        <source>AlexNet-S of Shi et al. 2016: synthetic 224 x 224 images, batch 16</source>
        <translation>AlexNet-S von Shi et al. 2016: synthetische Bilder von 224 x 224, Batch 16</translation>
    </message>
    <message>
        <source>AlexNet-R of Shi et al. 2016: 32 x 32 images of 10 classes, batch 1024</source>
        <translation>AlexNet-R von Shi et al. 2016: Bilder von 32 x 32 aus 10 Klassen, Batch 1024</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>Attentions side by side.</source>
        <translation>Attentions nebeneinander.</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>Sequenz</translation>
    </message>
    <message>
        <source>Queries, and as many keys.</source>
        <translation>Anfragen, und ebenso viele Schlüssel.</translation>
    </message>
    <message>
        <source>Head size</source>
        <translation>Kopfgröße</translation>
    </message>
    <message>
        <source>Values of a query, a key and a value.</source>
        <translation>Werte einer Anfrage, eines Schlüssels und eines Werts.</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>fused: one op; unfused: a product, a scale, a softmax and a product.</source>
        <translation>fused: eine Op; unfused: ein Produkt, eine Skalierung, ein Softmax und ein Produkt.</translation>
    </message>
    <message>
        <source>Causal</source>
        <translation>Kausal</translation>
    </message>
    <message>
        <source>yes: a query sees the keys up to its own position alone.</source>
        <translation>yes: eine Anfrage sieht nur die Schlüssel bis zu ihrer eigenen Position.</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>yes: also the gradients of the sum of all results by q, k and v.</source>
        <translation>yes: auch die Gradienten der Summe aller Ergebnisse nach q, k und v.</translation>
    </message>
    <message>
        <source>softmax(q k^T / sqrt(d)) v for each head. Unfused, the scores are written and read several times and grow with the square of the sequence. Fused, they stay in the caches, and memory grows with the sequence alone.</source>
        <translation>softmax(q k^T / sqrt(d)) v für jeden Kopf. Nicht verschmolzen werden die Scores mehrmals geschrieben und gelesen und wachsen mit dem Quadrat der Sequenz. Verschmolzen bleiben sie in den Caches, und der Speicher wächst nur mit der Sequenz.</translation>
    </message>
    <message>
        <source>Image size</source>
        <translation>Bildgröße</translation>
    </message>
    <message>
        <source>Height and width of the images.</source>
        <translation>Höhe und Breite der Bilder.</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>Klassen</translation>
    </message>
    <message>
        <source>Outputs of the last layer.</source>
        <translation>Ausgaben der letzten Schicht.</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Überlappung</translation>
    </message>
    <message>
        <source>on: reading and decoding run ahead on threads of their own, double-buffered; off: in turn with the step.</source>
        <translation>on: Lesen und Dekodieren laufen auf eigenen Threads voraus, mit doppelten Puffern; off: abwechselnd mit dem Schritt.</translation>
    </message>
    <message>
        <source>file: each batch is read and decoded; memory: one batch stays in memory, so that no step waits. The difference is what waiting costs.</source>
        <translation>file: jeder Batch wird gelesen und dekodiert; memory: ein Batch bleibt im Speicher, sodass kein Schritt wartet. Der Unterschied ist, was das Warten kostet.</translation>
    </message>
    <message>
        <source>Slower reader</source>
        <translation>Langsameres Lesen</translation>
    </message>
    <message>
        <source>Time that each read takes longer than this machine&apos;s file system needs, as a slow disk or network does; the thread sleeps it.</source>
        <translation>Zeit, die jedes Lesen länger dauert, als das Dateisystem dieser Maschine braucht, wie bei einem langsamen Datenträger oder Netz; der Thread schläft so lange.</translation>
    </message>
    <message>
        <source>Rows and columns of an image of 3 channels.</source>
        <translation>Zeilen und Spalten eines Bilds mit 3 Kanälen.</translation>
    </message>
    <message>
        <source>Hidden width</source>
        <translation>Verborgene Breite</translation>
    </message>
    <message>
        <source>Outputs of the hidden layer: what the compute lane has to do.</source>
        <translation>Ausgaben der verborgenen Schicht: was die Stufe compute zu tun hat.</translation>
    </message>
    <message>
        <source>Different batches in the data set; after the last comes the first again.</source>
        <translation>Verschiedene Batches im Datensatz; nach dem letzten kommt wieder der erste.</translation>
    </message>
    <message>
        <source>Each step&apos;s images come from a file: read, decoded (zlib), copied into the batch, computed on by a small classifier. Two threads read and decode ahead, so the slowest lane sets the pace. The data set is made for the run, in a temporary file that leaves nothing behind.</source>
        <translation>Die Bilder jedes Schritts kommen aus einer Datei: sie werden gelesen, dekodiert (zlib), in den Batch kopiert und von einem kleinen Klassifikator verarbeitet. Zwei Threads lesen und dekodieren voraus, also bestimmt die langsamste Stufe das Tempo. Der Datensatz wird für den Lauf erzeugt, in einer temporären Datei, von der nichts übrig bleibt.</translation>
    </message>
    <message>
        <source>Every layer reads the results of all layers before it in its block: 8.0 million parameters. Concatenations and batch norms, bound by memory, outweigh the convolutions.</source>
        <translation>Jede Schicht liest die Ergebnisse aller Schichten vor ihr in ihrem Block: 8.0 Millionen Parameter. Konkatenationen und Batch-Norms, vom Speicher begrenzt, überwiegen die Faltungen.</translation>
    </message>
    <message>
        <source>Rows over all steps; 4096 are 128 sequences of 32 words.</source>
        <translation>Zeilen über alle Schritte; 4096 sind 128 Sequenzen aus 32 Wörtern.</translation>
    </message>
    <message>
        <source>Columns of the rows, and both extents of the weights.</source>
        <translation>Spalten der Zeilen, und beide Ausdehnungen der Gewichte.</translation>
    </message>
    <message>
        <source>1: one matrix multiplication. n: n of them, one after the other.</source>
        <translation>1: eine Matrixmultiplikation. n: n davon, eine nach der anderen.</translation>
    </message>
    <message>
        <source>One matrix multiplication of all rows, or the same FLOPs as a chain of steps. Each step multiplies rows / steps rows and needs the result of the one before, like a recurrent network over a sequence. More steps mean more launches and narrower matrices.</source>
        <translation>Eine Matrixmultiplikation aller Zeilen, oder dieselben FLOPs als Kette von Schritten. Jeder Schritt multipliziert Zeilen / Schritte Zeilen und braucht das Ergebnis des vorigen, wie ein rekurrentes Netz über einer Sequenz. Mehr Schritte bedeuten mehr Starts und schmalere Matrizen.</translation>
    </message>
    <message>
        <source>First device</source>
        <translation>Erstes Gerät</translation>
    </message>
    <message>
        <source>Where m and x are moved, and the first half of the batch.</source>
        <translation>Wohin m, x und die erste Hälfte des Batches gebracht werden.</translation>
    </message>
    <message>
        <source>Second device</source>
        <translation>Zweites Gerät</translation>
    </message>
    <message>
        <source>Where the second half of the batch is moved.</source>
        <translation>Wohin die zweite Hälfte des Batches gebracht wird.</translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation>Replikate</translation>
    </message>
    <message>
        <source>1: the whole batch on the first device. 2: half of it on each.</source>
        <translation>1: der ganze Batch auf dem ersten Gerät. 2: auf jedem die Hälfte.</translation>
    </message>
    <message>
        <source>Rows of m.</source>
        <translation>Zeilen von m.</translation>
    </message>
    <message>
        <source>Columns of m, rows of x.</source>
        <translation>Spalten von m, Zeilen von x.</translation>
    </message>
    <message>
        <source>Columns of x.</source>
        <translation>Spalten von x.</translation>
    </message>
    <message>
        <source>0-d operand</source>
        <translation>0-d-Operand</translation>
    </message>
    <message>
        <source>yes: the product is multiplied by a 0-d tensor of this device, which is copied for it unasked.</source>
        <translation>yes: das Produkt wird mit einem 0-d-Tensor dieses Geräts multipliziert, der dafür ungefragt kopiert wird.</translation>
    </message>
    <message>
        <source>Inputs of the layer on two devices.</source>
        <translation>Eingaben der Schicht auf zwei Geräten.</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>Ausgaben</translation>
    </message>
    <message>
        <source>Outputs of the layer on two devices.</source>
        <translation>Ausgaben der Schicht auf zwei Geräten.</translation>
    </message>
    <message>
        <source>A product on this device and, after two copies, on another one; then one layer on two devices, each with half of the batch (DataParallel). Scatter and replicate come first; both halves are computed side by side, then gathered. One lane per device and one per direction of copies. Runs eagerly. sim:0 and sim:1 are simulated: each has half of the cores, and their copies are copies within host memory, measured as such.</source>
        <translation>Ein Produkt auf diesem Gerät und, nach zwei Kopien, auf einem anderen; dann eine Schicht auf zwei Geräten, jedes mit der Hälfte des Batches (DataParallel). Zuerst kommen Scatter und Replicate; beide Hälften werden nebeneinander berechnet und dann eingesammelt (Gather). Eine Spur je Gerät und eine je Richtung der Kopien. Läuft im Eager-Modus. sim:0 und sim:1 sind simuliert: jedes hat die Hälfte der Kerne, und ihre Kopien sind Kopien im Speicher des Hosts und werden als solche gemessen.</translation>
    </message>
    <message>
        <source>Elements of x.</source>
        <translation>Elemente von x.</translation>
    </message>
    <message>
        <source>Paths</source>
        <translation>Pfade</translation>
    </message>
    <message>
        <source>Different paths; as many elements take each.</source>
        <translation>Verschiedene Pfade; jeden nehmen gleich viele Elemente.</translation>
    </message>
    <message>
        <source>sorted: neighbours take one path; in_turn: neighbours take different paths; shuffled: any order.</source>
        <translation>sorted: Nachbarn nehmen denselben Pfad; in_turn: Nachbarn nehmen verschiedene Pfade; shuffled: in beliebiger Folge.</translation>
    </message>
    <message>
        <source>On a processor. masked: vectors, whose lanes take every path among them; elements: one element after the other, which no mix of paths slows down.</source>
        <translation>Auf einem Prozessor. masked: Vektoren, deren Lanes jeden Pfad nehmen, der unter ihnen vorkommt; elements: ein Element nach dem anderen, was keine Mischung der Pfade verlangsamt.</translation>
    </message>
    <message>
        <source>Control</source>
        <translation>Kontrolle</translation>
    </message>
    <message>
        <source>on: the same work with sorted paths runs in the same step.</source>
        <translation>on: dieselbe Arbeit mit sortierten Pfaden läuft im selben Schritt.</translation>
    </message>
    <message>
        <source>Multiply-adds of each path.</source>
        <translation>Multiply-Adds jedes Pfads.</translation>
    </message>
    <message>
        <source>Elements take one of several paths through equal work. A GPU runs 32 threads in lockstep and takes paths that are mixed among them one after the other. So do the lanes of a processor&apos;s vectors: under masks, all lanes compute every path among them. The step takes up to as many times longer as there are paths or lanes. The control does the same work sorted: neighbours agree. The table divergence has the predicted factor beside the measured one.</source>
        <translation>Elemente nehmen einen von mehreren Pfaden durch gleich viel Arbeit. Eine GPU führt 32 Threads im Gleichschritt aus und geht Pfade, die sich unter ihnen mischen, nacheinander. Ebenso die Lanes der Vektoren eines Prozessors: mit Masken rechnen alle Lanes jeden Pfad, der unter ihnen vorkommt. Der Schritt dauert bis zu so viel Mal länger, wie es Pfade oder Lanes gibt. Die Kontrolle tut dieselbe Arbeit sortiert: Nachbarn stimmen überein. Die Tabelle divergence zeigt den vorhergesagten Faktor neben dem gemessenen.</translation>
    </message>
    <message>
        <source>Rows per bag</source>
        <translation>Zeilen je Bag</translation>
    </message>
    <message>
        <source>Rows that are added for a sample.</source>
        <translation>Zeilen, die für ein Beispiel addiert werden.</translation>
    </message>
    <message>
        <source>Rows of the table.</source>
        <translation>Zeilen der Tabelle.</translation>
    </message>
    <message>
        <source>Row width</source>
        <translation>Zeilenbreite</translation>
    </message>
    <message>
        <source>Values of a row.</source>
        <translation>Werte einer Zeile.</translation>
    </message>
    <message>
        <source>Outputs of the fully connected layer behind the bags.</source>
        <translation>Ausgaben der vollverbundenen Schicht hinter den Bags.</translation>
    </message>
    <message>
        <source>Reduction</source>
        <translation>Reduktion</translation>
    </message>
    <message>
        <source>What a bag makes of its rows.</source>
        <translation>Was ein Bag aus seinen Zeilen macht.</translation>
    </message>
    <message>
        <source>Adds a few random rows of a table far larger than any cache. There is one addition per value read, at random addresses: only latency and bandwidth of the memory count. Training writes gradients as large as the table.</source>
        <translation>Addiert einige zufällige Zeilen einer Tabelle, die viel größer ist als jeder Cache. Auf jeden gelesenen Wert kommt eine Addition, an zufälligen Adressen: nur Latenz und Bandbreite des Speichers zählen. Training schreibt Gradienten, die so groß sind wie die Tabelle.</translation>
    </message>
    <message>
        <source>Array length</source>
        <translation>Länge der Arrays</translation>
    </message>
    <message>
        <source>Elements of x and of y. Long: more than the last cache holds; tiny: a few thousand.</source>
        <translation>Elemente von x und von y. Lang: mehr, als der letzte Cache fasst; winzig: einige tausend.</translation>
    </message>
    <message>
        <source>y = relu(a x + b) with numbers a and b. Three ops read and write n elements each, 6 n in all. Fused, they are one op and 2 n are moved. Long arrays show the traffic saved, tiny ones the dispatches.</source>
        <translation>y = relu(a x + b) mit Zahlen a und b. Drei Ops lesen und schreiben je n Elemente, zusammen 6 n. Verschmolzen sind sie eine Op, und 2 n werden bewegt. Lange Arrays zeigen den gesparten Verkehr, winzige die gesparten Starts.</translation>
    </message>
    <message>
        <source>Out of cache</source>
        <translation>Außerhalb der Caches</translation>
    </message>
    <message>
        <source>In the first cache level</source>
        <translation>In der ersten Cache-Ebene</translation>
    </message>
    <message>
        <source>Rows of A and C.</source>
        <translation>Zeilen von A und C.</translation>
    </message>
    <message>
        <source>Columns of B and C.</source>
        <translation>Spalten von B und C.</translation>
    </message>
    <message>
        <source>Columns of A, rows of B: the length of each sum.</source>
        <translation>Spalten von A, Zeilen von B: die Länge jeder Summe.</translation>
    </message>
    <message>
        <source>B stored transposed</source>
        <translation>B transponiert gespeichert</translation>
    </message>
    <message>
        <source>yes: B is stored as [n,k], like the weights of a linear layer, and read through a view.</source>
        <translation>yes: B ist als [n,k] gespeichert, wie die Gewichte einer linearen Schicht, und wird durch eine Sicht gelesen.</translation>
    </message>
    <message>
        <source>C[m,n] = A[m,k] B[k,n]: 2mnk FLOPs on mk + kn + mn elements. Square and large it is bound by arithmetic; with m = 1 it is a matrix-vector product, bound by memory.</source>
        <translation>C[m,n] = A[m,k] B[k,n]: 2mnk FLOPs auf mk + kn + mn Elementen. Quadratisch und groß ist es von der Arithmetik begrenzt; mit m = 1 ist es ein Matrix-Vektor-Produkt, vom Speicher begrenzt.</translation>
    </message>
    <message>
        <source>Loss scaling</source>
        <translation>Skalierung des Verlusts</translation>
    </message>
    <message>
        <source>dynamic: the scale grows after steps without overflow and shrinks with each one, which is skipped; static: it stays as it is; none: no scale.</source>
        <translation>dynamic: der Faktor wächst nach Schritten ohne Überlauf und schrumpft mit jedem Überlauf, dessen Schritt ausfällt; static: er bleibt, wie er ist; none: kein Faktor.</translation>
    </message>
    <message>
        <source>dtype: in the number format. i8: rounded to 8-bit integers in each step, with a scale per output. An f32 copy learns by the gradient of the rounded weights (straight through).</source>
        <translation>dtype: im Zahlenformat. i8: in jedem Schritt auf ganze Zahlen mit 8 Bits gerundet, mit einem Skalenfaktor je Ausgabe. Eine Kopie in f32 lernt mit dem Gradienten der gerundeten Gewichte (straight through).</translation>
    </message>
    <message>
        <source>Initial scale</source>
        <translation>Anfangsfaktor</translation>
    </message>
    <message>
        <source>Factor of the loss in the first step (PyTorch starts with 65536).</source>
        <translation>Faktor des Verlusts im ersten Schritt (PyTorch beginnt mit 65536).</translation>
    </message>
    <message>
        <source>Growth interval</source>
        <translation>Wachstumsintervall</translation>
    </message>
    <message>
        <source>Steps without overflow after which a dynamic scale doubles.</source>
        <translation>Schritte ohne Überlauf, nach denen sich ein dynamischer Faktor verdoppelt.</translation>
    </message>
    <message>
        <source>Loss weight</source>
        <translation>Gewicht des Verlusts</translation>
    </message>
    <message>
        <source>Factor of the loss, as of one among several losses. Its effect on the update is undone (SGD: learning rate divided by it; Adam: epsilon multiplied by it).</source>
        <translation>Faktor des Verlusts, wie bei einem unter mehreren Verlusten. Seine Wirkung auf das Update wird aufgehoben (SGD: Lernrate durch ihn geteilt; Adam: epsilon mit ihm multipliziert).</translation>
    </message>
    <message>
        <source>A three-layer network with a loss of small weight. Its gradients are below 6e-8, the smallest f16 number, so f16 learns nothing unless the loss is scaled. bf16 has the exponents of f32 and needs no scaling. Weights of 8 bits are rounded from f32 in each step, and gradients pass straight through.</source>
        <translation>Ein Netz aus drei Schichten, dessen Verlust ein kleines Gewicht hat. Seine Gradienten liegen unter 6e-8, der kleinsten Zahl in f16, also lernt f16 nichts, wenn der Verlust nicht skaliert wird. bf16 hat die Exponenten von f32 und braucht keine Skalierung. Gewichte mit 8 Bits werden in jedem Schritt aus f32 gerundet, und Gradienten gehen unverändert hindurch.</translation>
    </message>
    <message>
        <source>f32</source>
        <translation>f32</translation>
    </message>
    <message>
        <source>bf16</source>
        <translation>bf16</translation>
    </message>
    <message>
        <source>f16 without loss scaling</source>
        <translation>f16 ohne Skalierung des Verlusts</translation>
    </message>
    <message>
        <source>f16 with dynamic loss scaling</source>
        <translation>f16 mit dynamischer Skalierung des Verlusts</translation>
    </message>
    <message>
        <source>f32 with weights rounded to 8-bit integers</source>
        <translation>f32, Gewichte auf ganze Zahlen mit 8 Bits gerundet</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>Kanäle</translation>
    </message>
    <message>
        <source>Channels of the images.</source>
        <translation>Kanäle der Bilder.</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Channels of the result.</source>
        <translation>Kanäle des Ergebnisses.</translation>
    </message>
    <message>
        <source>Height and width of a window; the images are padded by half of it.</source>
        <translation>Höhe und Breite eines Fensters; um die Hälfte davon werden die Bilder am Rand aufgefüllt.</translation>
    </message>
    <message>
        <source>Stride</source>
        <translation>Schrittweite</translation>
    </message>
    <message>
        <source>Pixels from one window to the next.</source>
        <translation>Pixel von einem Fenster zum nächsten.</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Methode</translation>
    </message>
    <message>
        <source>direct: a convolution; im2col: copies of all windows, then a GEMM.</source>
        <translation>direct: eine Faltung; im2col: Kopien aller Fenster, dann ein GEMM.</translation>
    </message>
    <message>
        <source>The same convolution in two ways: directly, or with each window copied to a row of a matrix (im2col). That takes kernel^2 times the memory of the image and turns it into one GEMM.</source>
        <translation>Dieselbe Faltung auf zwei Arten: direkt, oder mit jedem Fenster in eine Zeile einer Matrix kopiert (im2col). Das braucht kernel^2-mal den Speicher des Bilds und macht daraus ein einziges GEMM.</translation>
    </message>
    <message>
        <source>One convolution with 3 x 3 filters, each weight used at every pixel</source>
        <translation>Eine Faltung mit Filtern von 3 x 3, jedes Gewicht an jedem Pixel benutzt</translation>
    </message>
    <message>
        <source>Nine modules of four parallel branches whose results are joined along the channels: 7.0 million parameters, 3.2 GFLOP per image. Without the auxiliary classifiers, local response normalisation and dropout of the paper.</source>
        <translation>Neun Module aus vier parallelen Zweigen, deren Ergebnisse entlang der Kanäle verbunden werden: 7.0 Millionen Parameter, 3.2 GFLOP je Bild. Ohne die Hilfsklassifikatoren, die Local Response Normalization und das Dropout des Papers.</translation>
    </message>
    <message>
        <source>Inputs of the network: passes of forward mode.</source>
        <translation>Eingaben des Netzes: Durchgänge im Vorwärtsmodus.</translation>
    </message>
    <message>
        <source>Outputs of the network: passes of reverse mode.</source>
        <translation>Ausgaben des Netzes: Durchgänge im Rückwärtsmodus.</translation>
    </message>
    <message>
        <source>Width of the layer between them.</source>
        <translation>Breite der Schicht dazwischen.</translation>
    </message>
    <message>
        <source>Linear layers. Reverse mode keeps what lies between them, forward mode does not.</source>
        <translation>Lineare Schichten. Der Rückwärtsmodus behält, was zwischen ihnen liegt, der Vorwärtsmodus nicht.</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Modus</translation>
    </message>
    <message>
        <source>forward: tangents run along with the network, a column per pass; reverse: gradients run back through it, a row per pass.</source>
        <translation>forward: Tangenten laufen mit dem Netz mit, eine Spalte je Durchgang; reverse: Gradienten laufen durch das Netz zurück, eine Zeile je Durchgang.</translation>
    </message>
    <message>
        <source>All derivatives of a network&apos;s outputs by its inputs. Forward mode takes a pass per input and finds a column each, reverse mode a pass per output and a row each. The fewer passes are the cheaper Jacobian.</source>
        <translation>Alle Ableitungen der Ausgaben eines Netzes nach seinen Eingaben. Der Vorwärtsmodus braucht einen Durchgang je Eingabe und findet jedes Mal eine Spalte, der Rückwärtsmodus einen je Ausgabe und findet jedes Mal eine Zeile. Wo weniger Durchgänge nötig sind, ist die Jacobi-Matrix billiger.</translation>
    </message>
    <message>
        <source>Product</source>
        <translation>Produkt</translation>
    </message>
    <message>
        <source>layer: one sample through a fully connected layer, every weight used once; matmul: a square GEMM, every element used `size` times.</source>
        <translation>layer: ein Beispiel durch eine vollverbundene Schicht, jedes Gewicht einmal benutzt; matmul: ein quadratisches GEMM, jedes Element `size`-mal benutzt.</translation>
    </message>
    <message>
        <source>Inputs and outputs of the layer; side of the matrices. Powers of two cause conflict misses: try 500 and 512.</source>
        <translation>Eingaben und Ausgaben der Schicht; Seite der Matrizen. Zweierpotenzen verursachen Konflikte im Cache: versuche 500 und 512.</translation>
    </message>
    <message>
        <source>Rung</source>
        <translation>Sprosse</translation>
    </message>
    <message>
        <source>Which loops; all: each once per step, those this machine has vectors for; library: a vendor&apos;s, the layer&apos;s sigmoid apart.</source>
        <translation>Welche Schleifen; all: jede einmal je Schritt, soweit diese Maschine die Vektoren dafür hat; library: die eines Herstellers, das Sigmoid der Schicht getrennt.</translation>
    </message>
    <message>
        <source>Tile</source>
        <translation>Kachel</translation>
    </message>
    <message>
        <source>Side of the tiles of the rungs that tile.</source>
        <translation>Seite der Kacheln in den Sprossen, die Kacheln verwenden.</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>Auffüllung</translation>
    </message>
    <message>
        <source>Elements left unused behind each row of the weights (of B): rows then begin in other sets of the caches. 16 are a line of f32.</source>
        <translation>Elemente, die hinter jeder Zeile der Gewichte (von B) frei bleiben: Zeilen beginnen dann in anderen Sätzen der Caches. 16 sind eine Cache-Zeile in f32.</translation>
    </message>
    <message>
        <source>The fully connected layer z = sigmoid(x W), or a GEMM, by ever better loop nests. They are naive, reordered, tiled, in vectors of 128, 256 and 512 bits, in registers, packed and on all threads. The last rung is a vendor&apos;s library, the faster of oneDNN and OpenBLAS. The numbers are the same, time and bytes per cache level are not. The first three rungs are slow on purpose.</source>
        <translation>Die vollverbundene Schicht z = sigmoid(x W), oder ein GEMM, mit immer besseren Schleifen. Sie sind naiv, umgeordnet, gekachelt, in Vektoren von 128, 256 und 512 Bits, in Registern, gepackt und auf allen Threads. Die letzte Sprosse ist die Bibliothek eines Herstellers, die schnellere von oneDNN und OpenBLAS. Die Ergebnisse sind dieselben, Zeit und Bytes je Cache-Ebene nicht. Die ersten drei Sprossen sind absichtlich langsam.</translation>
    </message>
    <message>
        <source>Layer in the first cache (64)</source>
        <translation>Schicht im ersten Cache (64)</translation>
    </message>
    <message>
        <source>Layer beyond the caches (8192)</source>
        <translation>Schicht größer als die Caches (8192)</translation>
    </message>
    <message>
        <source>GEMM of 512, columns in conflict</source>
        <translation>GEMM mit 512, Spalten im Konflikt</translation>
    </message>
    <message>
        <source>GEMM of 500, no power of two</source>
        <translation>GEMM mit 500, keine Zweierpotenz</translation>
    </message>
    <message>
        <source>Working set</source>
        <translation>Arbeitsmenge</translation>
    </message>
    <message>
        <source>Bytes the cycle runs through, in lines of 64.</source>
        <translation>Bytes, die der Zyklus durchläuft, in Zeilen zu 64.</translation>
    </message>
    <message>
        <source>Dependent loads per step.</source>
        <translation>Abhängige Lesezugriffe je Schritt.</translation>
    </message>
    <message>
        <source>A pointer chase: each load names the address of the next, along a random cycle through all lines of the working set. Neither prefetching nor parallelism helps. Time per access climbs one rung with each cache the working set outgrows.</source>
        <translation>Eine Zeigerkette: jeder Lesezugriff nennt die Adresse des nächsten, entlang eines zufälligen Zyklus durch alle Zeilen der Arbeitsmenge. Weder Prefetching noch Parallelität hilft. Die Zeit je Zugriff steigt um eine Sprosse mit jedem Cache, in den die Arbeitsmenge nicht mehr passt.</translation>
    </message>
    <message>
        <source>Length of the chain; each op needs the one before it.</source>
        <translation>Länge der Kette; jede Op braucht die vorige.</translation>
    </message>
    <message>
        <source>Elements each op reads and writes.</source>
        <translation>Elemente, die jede Op liest und schreibt.</translation>
    </message>
    <message>
        <source>A chain of ops with almost no work: the time per op is the cost of starting one. That is some tens of nanoseconds on a processor, some microseconds on a GPU. Make n larger until the time per op grows: from there on, work counts.</source>
        <translation>Eine Kette von Ops fast ohne Arbeit: die Zeit je Op ist, was es kostet, eine zu starten. Das sind einige zehn Nanosekunden auf einem Prozessor, einige Mikrosekunden auf einer GPU. Vergrößere n, bis die Zeit je Op wächst: von da an zählt die Arbeit.</translation>
    </message>
    <message>
        <source>Routine</source>
        <translation>Routine</translation>
    </message>
    <message>
        <source>solve: a x = b by elimination; inverse; determinant; cholesky: a = l l^T (two GEMMs make a). eigh: eigenvalues and vectors of a symmetric matrix; svd: singular values and vectors; qr.</source>
        <translation>solve: a x = b durch Elimination; inverse; determinant; cholesky: a = l l^T (zwei GEMMs bilden a). eigh: Eigenwerte und -vektoren einer symmetrischen Matrix; svd: Singulärwerte und -vektoren; qr.</translation>
    </message>
    <message>
        <source>Rows and columns of each matrix.</source>
        <translation>Zeilen und Spalten jeder Matrix.</translation>
    </message>
    <message>
        <source>Residual</source>
        <translation>Residuum</translation>
    </message>
    <message>
        <source>yes: the step also puts out |a x - b| / |b| of solve, or |a v - v w| / |a| of eigh. The table of results shows it.</source>
        <translation>yes: der Schritt gibt auch |a x - b| / |b| von solve oder |a v - v w| / |a| von eigh aus. Die Tabelle der Ergebnisse zeigt es.</translation>
    </message>
    <message>
        <source>One routine of LAPACK on random n x n matrices. All do some n^3 operations on n^2 numbers. Yet eigenvalues and singular values reach a small part of the speed of a GEMM: half of their work is matrix-vector multiplication, bound by memory.</source>
        <translation>Eine Routine aus LAPACK auf zufälligen Matrizen n x n. Alle führen einige n^3 Operationen auf n^2 Zahlen aus. Doch Eigenwerte und Singulärwerte erreichen nur einen kleinen Teil des Tempos eines GEMM: die Hälfte ihrer Arbeit sind Matrix-Vektor-Produkte, vom Speicher begrenzt.</translation>
    </message>
    <message>
        <source>A system of equations, with its residual</source>
        <translation>Ein Gleichungssystem, mit seinem Residuum</translation>
    </message>
    <message>
        <source>Eigenvalues of a symmetric matrix, with their residual</source>
        <translation>Eigenwerte einer symmetrischen Matrix, mit ihrem Residuum</translation>
    </message>
    <message>
        <source>decode: one token behind a full context; prefill: all tokens of the context at once, which fills the cache.</source>
        <translation>decode: ein Token hinter einem vollen Kontext; prefill: alle Tokens des Kontexts auf einmal, was den Cache füllt.</translation>
    </message>
    <message>
        <source>Tokens in view: those of the text, and the positions of the cache.</source>
        <translation>Tokens im Blick: die des Texts, und die Positionen des Caches.</translation>
    </message>
    <message>
        <source>How the matrices of weights lie in memory. dtype: as everything else. bf16, f16: widened as they are read. q8_0, q4_0: blocks of 32 with 8 or 4 bits each and a scale, as llama.cpp has them.</source>
        <translation>Wie die Matrizen der Gewichte im Speicher liegen. dtype: wie alles andere. bf16, f16: beim Lesen erweitert. q8_0, q4_0: Blöcke aus 32 Werten mit je 8 oder 4 Bits und einem Skalenfaktor, wie in llama.cpp.</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>The first layers alone; 0: all of the model.</source>
        <translation>Nur die ersten Schichten; 0: das ganze Modell.</translation>
    </message>
    <message>
        <source>Whose sizes.</source>
        <translation>Das Modell, dessen Größen gelten.</translation>
    </message>
    <message>
        <source>A well-known language model by its sizes, with random weights. Prefill reads a text and is bound by arithmetic. Decode continues it by one token and is bound by memory: it reads every weight and the whole cache.</source>
        <translation>Ein bekanntes Sprachmodell in seinen Größen, mit zufälligen Gewichten. Prefill liest einen Text und ist von der Arithmetik begrenzt. Decode setzt ihn um ein Token fort und ist vom Speicher begrenzt: es liest jedes Gewicht und den ganzen Cache.</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Turns of the loop; rows of the tensor.</source>
        <translation>Durchläufe der Schleife; Zeilen des Tensors.</translation>
    </message>
    <message>
        <source>Values of a sample.</source>
        <translation>Werte eines Beispiels.</translation>
    </message>
    <message>
        <source>Values of a result.</source>
        <translation>Werte eines Ergebnisses.</translation>
    </message>
    <message>
        <source>y = relu(W x + b) for each sample of a batch, computed twice. A loop goes sample by sample; the tensor version is two ops on the whole batch. The loop reads the weights once per sample and stores each row apart. The table versions has time, tensors and the difference of the results. In eager mode each op of the loop also costs its call.</source>
        <translation>y = relu(W x + b) für jedes Beispiel eines Batches, zweimal berechnet. Eine Schleife geht Beispiel für Beispiel vor; die Tensor-Version besteht aus zwei Ops auf dem ganzen Batch. Die Schleife liest die Gewichte einmal je Beispiel und speichert jede Zeile für sich. Die Tabelle versions zeigt Zeit, Tensoren und den Unterschied der Ergebnisse. Im Eager-Modus kostet jede Op der Schleife auch ihren Aufruf.</translation>
    </message>
    <message>
        <source>Words per sequence: steps that follow one another.</source>
        <translation>Wörter je Sequenz: Schritte, die aufeinander folgen.</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Words of the vocabulary.</source>
        <translation>Wörter des Vokabulars.</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>Embedding</translation>
    </message>
    <message>
        <source>Numbers that encode a word.</source>
        <translation>Zahlen, die ein Wort kodieren.</translation>
    </message>
    <message>
        <source>Hidden units</source>
        <translation>Verborgene Einheiten</translation>
    </message>
    <message>
        <source>Values a layer hands from step to step.</source>
        <translation>Werte, die eine Schicht von Schritt zu Schritt weitergibt.</translation>
    </message>
    <message>
        <source>LSTM layers above one another.</source>
        <translation>LSTM-Schichten übereinander.</translation>
    </message>
    <message>
        <source>fused: one op per layer for the whole sequence; unrolled: about a dozen ops per step and layer, like a loop in code.</source>
        <translation>fused: eine Op je Schicht für die ganze Sequenz; unrolled: etwa ein Dutzend Ops je Schritt und Schicht, wie eine Schleife im Code.</translation>
    </message>
    <message>
        <source>Predicts the next word from all words before. Each step waits for the last one, so its small GEMMs cannot be joined. With the work of a fully connected network it takes longer, above all on parallel devices.</source>
        <translation>Sagt das nächste Wort aus allen Wörtern davor voraus. Jeder Schritt wartet auf den vorigen, also lassen sich seine kleinen GEMMs nicht zusammenfassen. Bei gleich viel Arbeit dauert es länger als ein vollverbundenes Netz, vor allem auf parallelen Geräten.</translation>
    </message>
    <message>
        <source>LSTM of Shi et al. 2016: Penn Treebank, 128 sequences of 32 words</source>
        <translation>LSTM von Shi et al. 2016: Penn Treebank, 128 Sequenzen aus 32 Wörtern</translation>
    </message>
    <message>
        <source>Values per sample; 784 is a 28 x 28 image.</source>
        <translation>Werte je Beispiel; 784 ist ein Bild von 28 x 28.</translation>
    </message>
    <message>
        <source>Hidden layers</source>
        <translation>Verborgene Schichten</translation>
    </message>
    <message>
        <source>Widths of the hidden layers, separated by commas; empty: none.</source>
        <translation>Breiten der verborgenen Schichten, durch Kommas getrennt; leer: keine.</translation>
    </message>
    <message>
        <source>Classes of the last layer.</source>
        <translation>Klassen der letzten Schicht.</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>Aktivierung</translation>
    </message>
    <message>
        <source>Function after each hidden layer.</source>
        <translation>Funktion nach jeder verborgenen Schicht.</translation>
    </message>
    <message>
        <source>Fully connected layers with sigmoid or ReLU between them. At batch 1 each weight is read for one multiply-add, so memory binds; a larger batch uses each weight more often.</source>
        <translation>Vollverbundene Schichten mit Sigmoid oder ReLU dazwischen. Bei Batch 1 wird jedes Gewicht für ein einziges Multiply-Add gelesen, also begrenzt der Speicher; ein größerer Batch benutzt jedes Gewicht öfter.</translation>
    </message>
    <message>
        <source>FCN-S of Shi et al. 2016: synthetic data, 118 M weights</source>
        <translation>FCN-S von Shi et al. 2016: synthetische Daten, 118 M Gewichte</translation>
    </message>
    <message>
        <source>FCN-R of Shi et al. 2016: MNIST, 14.2 M weights</source>
        <translation>FCN-R von Shi et al. 2016: MNIST, 14.2 M Gewichte</translation>
    </message>
    <message>
        <source>One layer of 4096 x 4096 weights, which few samples share</source>
        <translation>Eine Schicht mit 4096 x 4096 Gewichten, die sich wenige Beispiele teilen</translation>
    </message>
    <message>
        <source>v1: depthwise and 1x1 in turn; v2: inverted residuals with ReLU6.</source>
        <translation>v1: Depthwise und 1x1 im Wechsel; v2: Inverted Residuals mit ReLU6.</translation>
    </message>
    <message>
        <source>Depthwise convolutions do nine multiply-adds per value they read and are bound by memory; the 1x1 convolutions between them do the arithmetic. v1: 4.2 million parameters, 1.1 GFLOP per image; v2: 3.5 million, 0.6 GFLOP.</source>
        <translation>Depthwise-Faltungen leisten neun Multiply-Adds je gelesenem Wert und sind vom Speicher begrenzt; die 1x1-Faltungen dazwischen leisten die Arithmetik. v1: 4.2 Millionen Parameter, 1.1 GFLOP je Bild; v2: 3.5 Millionen, 0.6 GFLOP.</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>Elemente</translation>
    </message>
    <message>
        <source>Independent chains.</source>
        <translation>Unabhängige Ketten.</translation>
    </message>
    <message>
        <source>Multiply-adds of a chain: enough that a processor does not look beyond its end.</source>
        <translation>Multiply-Adds einer Kette: so viele, dass ein Prozessor nicht über ihr Ende hinausblickt.</translation>
    </message>
    <message>
        <source>Vectors in flight</source>
        <translation>Vektoren zugleich</translation>
    </message>
    <message>
        <source>Vectors each core works on at once: more hide the latency of the multiply-add.</source>
        <translation>Vektoren, an denen jeder Kern zugleich arbeitet: mehr davon verbergen die Latenz des Multiply-Add.</translation>
    </message>
    <message>
        <source>Each item is a chain of multiply-adds, one after the other; items are independent. With fewer items than the machine has lanes in all cores, more items cost nothing and the time per step stays flat. The knee is the machine&apos;s parallel width.</source>
        <translation>Jedes Element ist eine Kette von Multiply-Adds, eines nach dem anderen; Elemente sind unabhängig. Solange es weniger Elemente gibt, als die Maschine in allen Kernen Lanes hat, kosten weitere nichts, und die Zeit je Schritt bleibt gleich. Das Knie ist die parallele Breite der Maschine.</translation>
    </message>
    <message>
        <source>Samples computed together in one step. Weights are read once per step, so a larger batch spreads their bytes over more samples.</source>
        <translation>Beispiele, die in einem Schritt zusammen berechnet werden. Gewichte werden einmal je Schritt gelesen, also verteilt ein größerer Batch ihre Bytes auf mehr Beispiele.</translation>
    </message>
    <message>
        <source>Number format of the values: f64 takes 8 bytes, f32 takes 4, bf16 and f16 take 2. Training in 16 bits keeps the weights in f32 and casts them at every step; sums are formed in f32.</source>
        <translation>Zahlenformat der Werte: f64 braucht 8 Bytes, f32 braucht 4, bf16 und f16 brauchen 2. Training in 16 Bits behält die Gewichte in f32 und wandelt sie in jedem Schritt um; Summen werden in f32 gebildet.</translation>
    </message>
    <message>
        <source>inference computes the outputs; training adds the loss, all gradients and an SGD update of the weights.</source>
        <translation>inference berechnet die Ausgaben; training dazu den Verlust, alle Gradienten und ein SGD-Update der Gewichte.</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>Step size of the optimiser. Used in training only.</source>
        <translation>Schrittgröße des Optimierers. Nur beim Training benutzt.</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>Momentum</translation>
    </message>
    <message>
        <source>Share of the last update that SGD carries on. Above 0 each weight has a momentum buffer of its own size (optimiser state). Used in training only.</source>
        <translation>Anteil des letzten Updates, den SGD weiterführt. Über 0 hat jedes Gewicht einen Momentum-Puffer seiner eigenen Größe (Zustand des Optimierers). Nur beim Training benutzt.</translation>
    </message>
    <message>
        <source>Largest gradient</source>
        <translation>Größter Gradient</translation>
    </message>
    <message>
        <source>All gradients together are scaled to at most this norm before they update the weights; 0: they stay as they are. Used in training only.</source>
        <translation>Alle Gradienten zusammen werden höchstens auf diese Norm skaliert, bevor sie die Gewichte ändern; 0: sie bleiben, wie sie sind. Nur beim Training benutzt.</translation>
    </message>
    <message>
        <source>Optimiser</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>What learns from the gradients. Adam and AdamW hold two more values per weight, SGD one or none. Used in training only.</source>
        <translation>Was aus den Gradienten lernt. Adam und AdamW halten zwei weitere Werte je Gewicht, SGD einen oder keinen. Nur beim Training benutzt.</translation>
    </message>
    <message>
        <source>Height and width of the image.</source>
        <translation>Höhe und Breite des Bilds.</translation>
    </message>
    <message>
        <source>What each pixel is multiplied by, in steps of 1/64.</source>
        <translation>Womit jeder Pixel multipliziert wird, in Schritten von 1/64.</translation>
    </message>
    <message>
        <source>What is added to each pixel afterwards.</source>
        <translation>Was danach zu jedem Pixel addiert wird.</translation>
    </message>
    <message>
        <source>Rows and columns of the matrices.</source>
        <translation>Zeilen und Spalten der Matrizen.</translation>
    </message>
    <message>
        <source>What graphics processors were made for: the same operation on each pixel of an image, independent of all others, beside a matrix multiplication. The brightness is computed in whole numbers, so every device makes the same picture, bit for bit. The result can be exported as an image.</source>
        <translation>Wofür Grafikprozessoren gemacht wurden: dieselbe Operation auf jedem Pixel eines Bilds, unabhängig von allen anderen, neben einer Matrixmultiplikation. Die Helligkeit wird in ganzen Zahlen berechnet, also erzeugt jedes Gerät dasselbe Bild, Bit für Bit. Das Ergebnis lässt sich als Bild exportieren.</translation>
    </message>
    <message>
        <source>Side of the matrices; errors of sums grow with it.</source>
        <translation>Seite der Matrizen; Fehler der Summen wachsen mit ihr.</translation>
    </message>
    <message>
        <source>One GEMM in f64, f32, bf16, f16 and 8-bit integers, from the same numbers. Fewer bits move fewer bytes and round more. A format is faster only where the processor has a unit for it. The table versions has rate and error side by side.</source>
        <translation>Ein GEMM in f64, f32, bf16, f16 und ganzen Zahlen mit 8 Bits, aus denselben Zahlen. Weniger Bits bewegen weniger Bytes und runden mehr. Schneller ist ein Format nur, wo der Prozessor eine Einheit dafür hat. Die Tabelle versions zeigt Rate und Fehler nebeneinander.</translation>
    </message>
    <message>
        <source>Outputs of each hidden layer.</source>
        <translation>Ausgaben jeder verborgenen Schicht.</translation>
    </message>
    <message>
        <source>Layers between input and output.</source>
        <translation>Schichten zwischen Eingabe und Ausgabe.</translation>
    </message>
    <message>
        <source>Inference of fully connected layers with i8 weights (one scale per output) and u8 activations, quantised by the range of each step. It moves a quarter of mlp&apos;s weight bytes; sums are exact in i32.</source>
        <translation>Inferenz vollverbundener Schichten mit Gewichten in i8 (ein Skalenfaktor je Ausgabe) und Aktivierungen in u8, quantisiert nach dem Wertebereich jedes Schritts. Bewegt ein Viertel der Bytes der Gewichte von mlp; Summen sind in i32 exakt.</translation>
    </message>
    <message>
        <source>Stride in</source>
        <translation>Schrittweite in</translation>
    </message>
    <message>
        <source>Which convolution of a bottleneck halves the image: the 3x3 (torchvision; 8,178 MFLOP forward per image) or the first 1x1 (the paper; 7,716 MFLOP).</source>
        <translation>Welche Faltung eines Bottlenecks das Bild halbiert: die 3x3 (torchvision; vorwärts 8178 MFLOP je Bild) oder die erste 1x1 (das Paper; 7716 MFLOP).</translation>
    </message>
    <message>
        <source>The 50-layer residual network of He et al. on random images: 25.6 million parameters. Its 53 convolutions are bound by arithmetic, the batch norms, ReLUs and additions between them by memory.</source>
        <translation>Das residuale Netz mit 50 Schichten von He et al. auf zufälligen Bildern: 25.6 Millionen Parameter. Seine 53 Faltungen sind von der Arithmetik begrenzt, die Batch-Norms, ReLUs und Additionen dazwischen vom Speicher.</translation>
    </message>
    <message>
        <source>ResNet-50 of Shi et al. 2016: batch 16, stride in the 1x1</source>
        <translation>ResNet-50 von Shi et al. 2016: Batch 16, Schrittweite in der 1x1</translation>
    </message>
    <message>
        <source>The narrow, deep residual network for 32 x 32 images: 0.85 million weights and 251 MFLOP per image in 55 small convolutions. Batch norms, ReLUs and additions, bound by memory, take a large share of the time.</source>
        <translation>Das schmale, tiefe residuale Netz für Bilder von 32 x 32: 0.85 Millionen Gewichte und 251 MFLOP je Bild in 55 kleinen Faltungen. Batch-Norms, ReLUs und Additionen, vom Speicher begrenzt, brauchen einen großen Teil der Zeit.</translation>
    </message>
    <message>
        <source>ResNet-56 of Shi et al. 2016: CIFAR-10, batch 128</source>
        <translation>ResNet-56 von Shi et al. 2016: CIFAR-10, Batch 128</translation>
    </message>
    <message>
        <source>AlexNet&apos;s accuracy with 1.25 million parameters, fifty times fewer: they fit in a cache, the activations do not. Few weights are not few bytes moved. Without dropout.</source>
        <translation>Die Genauigkeit von AlexNet mit 1.25 Millionen Parametern, einem Fünfzigstel davon: sie passen in einen Cache, die Aktivierungen nicht. Wenige Gewichte heißt nicht wenige bewegte Bytes. Ohne Dropout.</translation>
    </message>
    <message>
        <source>copy: c = a; scale: c = 3 a; add: c = a + b; triad: c = a + 3 b.</source>
        <translation>copy: c = a; scale: c = 3 a; add: c = a + b; triad: c = a + 3 b.</translation>
    </message>
    <message>
        <source>Elements of each array; the kernels use two or three arrays.</source>
        <translation>Elemente jedes Arrays; die Kernel benutzen zwei oder drei Arrays.</translation>
    </message>
    <message>
        <source>Copy, scale, add or triad over long arrays (McCalpin&apos;s STREAM): almost no arithmetic, so its speed is the memory bandwidth. Make n small to see each cache level in turn.</source>
        <translation>Copy, scale, add oder triad über lange Arrays (STREAM von McCalpin): fast keine Arithmetik, also ist das Tempo die Bandbreite des Speichers. Verkleinere n, um nacheinander jede Cache-Ebene zu sehen.</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>What the tensors are. transposes: squares from 1 KiB on; layers: a network with a NaN to find.</source>
        <translation>Was die Tensoren sind. transposes: Quadrate ab 1 KiB; layers: ein Netz mit einem NaN, das zu finden ist.</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>Rows of the images.</source>
        <translation>Zeilen der Bilder.</translation>
    </message>
    <message>
        <source>Columns of the images.</source>
        <translation>Spalten der Bilder.</translation>
    </message>
    <message>
        <source>Largest side</source>
        <translation>Größte Seite</translation>
    </message>
    <message>
        <source>Of the squares of the example transposes.</source>
        <translation>Der Quadrate im Beispiel transposes.</translation>
    </message>
    <message>
        <source>Layer with NaN</source>
        <translation>Schicht mit NaN</translation>
    </message>
    <message>
        <source>Of the example layers; 0: none.</source>
        <translation>Im Beispiel layers; 0: keine.</translation>
    </message>
    <message>
        <source>A tensor is a shape and strides over a storage. Reshape, transpose and slice make further tensors over the same bytes: they run nothing and move nothing. Where no strides describe the new shape, a copy is made, and is an op with bytes. The table storage lists shape, strides, offset, storage and moved bytes of each tensor.</source>
        <translation>Ein Tensor ist eine Form und Schrittweiten über einem Puffer. Umformen, Transponieren und Ausschneiden ergeben weitere Tensoren über denselben Bytes: sie führen nichts aus und bewegen nichts. Wo keine Schrittweiten die neue Form beschreiben, entsteht eine Kopie, und sie ist eine Op mit Bytes. Die Tabelle storage nennt Form, Schrittweiten, Offset, Puffer und bewegte Bytes jedes Tensors.</translation>
    </message>
    <message>
        <source>Smallest block</source>
        <translation>Kleinster Block</translation>
    </message>
    <message>
        <source>Each block is four times the one before.</source>
        <translation>Jeder Block ist viermal so groß wie der vorige.</translation>
    </message>
    <message>
        <source>Largest block</source>
        <translation>Größter Block</translation>
    </message>
    <message>
        <source>The last block.</source>
        <translation>Der letzte Block.</translation>
    </message>
    <message>
        <source>pinned: page-locked, which the GPU reads and writes by itself; pageable: staged by the driver.</source>
        <translation>pinned: im RAM festgehaltene Seiten, die die GPU selbst liest und schreibt; pageable: auslagerbar, der Treiber kopiert über einen Puffer.</translation>
    </message>
    <message>
        <source>Directions</source>
        <translation>Richtungen</translation>
    </message>
    <message>
        <source>in_turn: to the host, then back; both: in halves, so that both directions are busy at once.</source>
        <translation>in_turn: zum Host, dann zurück; both: in Hälften, sodass beide Richtungen zugleich arbeiten.</translation>
    </message>
    <message>
        <source>Blocks from 4 KiB to 1 GiB go to the host&apos;s memory and come back. A copy takes a fixed time (alpha) and a time per byte (beta). Where device and host share one memory, these are copies within it.</source>
        <translation>Blöcke von 4 KiB bis 1 GiB gehen in den Speicher des Hosts und kommen zurück. Eine Kopie braucht eine feste Zeit (alpha) und eine Zeit je Byte (beta). Wo Gerät und Host sich einen Speicher teilen, sind es Kopien darin.</translation>
    </message>
    <message>
        <source>Tokens per sample.</source>
        <translation>Tokens je Beispiel.</translation>
    </message>
    <message>
        <source>decode: one token at the last position of a full context; prefill: all tokens of the context, which fills the cache. Used in inference only.</source>
        <translation>decode: ein Token an der letzten Position eines vollen Kontexts; prefill: alle Tokens des Kontexts, was den Cache füllt. Nur bei Inferenz benutzt.</translation>
    </message>
    <message>
        <source>Tokens in view: positions of the cache, and of a training sample.</source>
        <translation>Tokens im Blick: Positionen des Caches, und eines Beispiels beim Training.</translation>
    </message>
    <message>
        <source>Heads of keys</source>
        <translation>Schlüsselköpfe</translation>
    </message>
    <message>
        <source>Heads of keys and values; fewer than heads share a smaller cache. 0: as many.</source>
        <translation>Köpfe der Schlüssel und Werte; sind es weniger als Köpfe, teilen sie sich einen kleineren Cache. 0: ebenso viele.</translation>
    </message>
    <message>
        <source>Attention of every token to every other, then a two-layer network per token. GEMMs are bound by arithmetic; norms, GELU and softmax by memory. Unfused attention puts the square of the sequence into memory.</source>
        <translation>Attention jedes Tokens zu jedem anderen, dann ein Netz aus zwei Schichten je Token. GEMMs sind von der Arithmetik begrenzt; Normen, GELU und Softmax vom Speicher. Attention, die nicht verschmolzen ist, legt das Quadrat der Sequenz in den Speicher.</translation>
    </message>
    <message>
        <source>A text is read at once (prefill: GEMMs, bound by arithmetic), then continued token by token (decode, bound by memory). Each token of decode reads every weight and the whole cache of keys and values.</source>
        <translation>Ein Text wird auf einmal gelesen (Prefill: GEMMs, von der Arithmetik begrenzt), dann Token für Token fortgesetzt (Decode, vom Speicher begrenzt). Jedes Token im Decode liest jedes Gewicht und den ganzen Cache der Schlüssel und Werte.</translation>
    </message>
    <message>
        <source>GPT-2 small (124 M parameters), one token after 1,023 others</source>
        <translation>GPT-2 small (124 M Parameter), ein Token nach 1023 anderen</translation>
    </message>
    <message>
        <source>GPT-2 small (124 M parameters), a text of 1,024 tokens</source>
        <translation>GPT-2 small (124 M Parameter), ein Text aus 1024 Tokens</translation>
    </message>
    <message>
        <source>Model width</source>
        <translation>Modellbreite</translation>
    </message>
    <message>
        <source>Values per token; the heads share them.</source>
        <translation>Werte je Token; die Köpfe teilen sie sich.</translation>
    </message>
    <message>
        <source>Attentions side by side in each layer; divides the model width.</source>
        <translation>Attentions nebeneinander in jeder Schicht; muss Teiler der Modellbreite sein.</translation>
    </message>
    <message>
        <source>MLP width</source>
        <translation>MLP-Breite</translation>
    </message>
    <message>
        <source>Hidden values of the two fully connected layers after each attention.</source>
        <translation>Verborgene Werte der zwei vollverbundenen Schichten nach jeder Attention.</translation>
    </message>
    <message>
        <source>Blocks of attention and MLP.</source>
        <translation>Blöcke aus Attention und MLP.</translation>
    </message>
    <message>
        <source>Tokens of the vocabulary.</source>
        <translation>Tokens des Vokabulars.</translation>
    </message>
    <message>
        <source>fused: one op, the scores never reach memory; unfused: GEMMs, scale and softmax as separate ops, with the square of the sequence in memory.</source>
        <translation>fused: eine Op, die Scores gelangen nie in den Speicher; unfused: GEMMs, Skalierung und Softmax als einzelne Ops, mit dem Quadrat der Sequenz im Speicher.</translation>
    </message>
    <message>
        <source>Leaves</source>
        <translation>Blätter</translation>
    </message>
    <message>
        <source>Leaves of the tree; it has as many inner nodes, less one.</source>
        <translation>Blätter des Baums; er hat ebenso viele innere Knoten, weniger einen.</translation>
    </message>
    <message>
        <source>Values of a node.</source>
        <translation>Werte eines Knotens.</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>Baum</translation>
    </message>
    <message>
        <source>Which random tree: the seed of its shape.</source>
        <translation>Welcher zufällige Baum: der Seed seiner Form.</translation>
    </message>
    <message>
        <source>Outputs of the layer above the root.</source>
        <translation>Ausgaben der Schicht über der Wurzel.</translation>
    </message>
    <message>
        <source>One small layer composes the nodes of a random binary tree from the leaves to the root. Recursive code builds it, so every tree gives another graph. The many small ops show the cost of each call.</source>
        <translation>Eine kleine Schicht setzt die Knoten eines zufälligen Binärbaums zusammen, von den Blättern zur Wurzel. Rekursiver Code baut ihn, also ergibt jeder Baum einen anderen Graphen. Die vielen kleinen Ops zeigen, was jeder Aufruf kostet.</translation>
    </message>
    <message>
        <source>Layers with weights.</source>
        <translation>Schichten mit Gewichten.</translation>
    </message>
    <message>
        <source>Only 3x3 convolutions and 2x2 pools, then three fully connected layers. VGG-16 has 138 million parameters and 31 GFLOP per image, the most of all networks here. The first layers hold the largest activations.</source>
        <translation>Nur 3x3-Faltungen und 2x2-Pools, dann drei vollverbundene Schichten. VGG-16 hat 138 Millionen Parameter und 31 GFLOP je Bild, das meiste von allen Netzen hier. Die ersten Schichten halten die größten Aktivierungen.</translation>
    </message>
    <message>
        <source>Without</source>
        <translation>Ohne</translation>
    </message>
    <message>
        <source>Leave out libraries</source>
        <translation>Bibliotheken weglassen</translation>
    </message>
    <message>
        <source>Samples per step</source>
        <translation>Beispiele je Schritt</translation>
    </message>
    <message>
        <source>Phase of a language model</source>
        <translation>Phase eines Sprachmodells</translation>
    </message>
    <message>
        <source>Tokens in view of a language model</source>
        <translation>Tokens im Blick eines Sprachmodells</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>Graph</translation>
    </message>
    <message>
        <source>Fuse ops</source>
        <translation>Ops verschmelzen</translation>
    </message>
    <message>
        <source>Winograd</source>
        <translation>Winograd</translation>
    </message>
    <message>
        <source>Winograd convolutions</source>
        <translation>Faltungen nach Winograd</translation>
    </message>
    <message>
        <source>TF32</source>
        <translation>TF32</translation>
    </message>
    <message>
        <source>TF32 in f32 matrix multiplications</source>
        <translation>TF32 in Matrixmultiplikationen mit f32</translation>
    </message>
    <message>
        <source>FP8</source>
        <translation>FP8</translation>
    </message>
    <message>
        <source>FP8 in matrix multiplications</source>
        <translation>FP8 in Matrixmultiplikationen</translation>
    </message>
    <message>
        <source>Deterministic</source>
        <translation>Deterministisch</translation>
    </message>
    <message>
        <source>Deterministic kernels only</source>
        <translation>Nur deterministische Kernel</translation>
    </message>
    <message>
        <source>Transfer</source>
        <translation>Transfer</translation>
    </message>
    <message>
        <source>Host memory of copies</source>
        <translation>Speicher des Hosts bei Kopien</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>Quellen</translation>
    </message>
    <message>
        <source>Worker threads; 0: all physical cores</source>
        <translation>Worker-Threads; 0: alle physischen Kerne</translation>
    </message>
    <message>
        <source>Pinned threads</source>
        <translation>Feste Threads</translation>
    </message>
    <message>
        <source>Hold each thread on a processor</source>
        <translation>Jeden Thread auf einem Prozessor halten</translation>
    </message>
    <message>
        <source>Timed steps; auto: until the median is known within 2 %</source>
        <translation>Gemessene Schritte; auto: bis der Median auf 2 % bekannt ist</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Anlauf</translation>
    </message>
    <message>
        <source>Steps before timing; auto: until two agree</source>
        <translation>Schritte vor der Messung; auto: bis zwei übereinstimmen</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Seed of weights and data</source>
        <translation>Seed der Gewichte und Daten</translation>
    </message>
    <message>
        <source>Time budget of the cache simulation, then sets are sampled</source>
        <translation>Zeit, die die Simulation der Caches haben darf, danach Stichprobe der Sätze</translation>
    </message>
    <message>
        <source>Where it runs. Devices in grey are not available; the reason is in their tooltip.</source>
        <translation>Wo er läuft. Graue Geräte sind nicht verfügbar; der Grund steht in ihrem Tooltip.</translation>
    </message>
    <message>
        <source>static: planned once, memory placed ahead, then replayed. eager: each step builds its ops again and runs each at once, as scripts of other frameworks do.</source>
        <translation>static: einmal geplant, Speicher im Voraus zugeteilt, dann immer wieder ausgeführt. eager: jeder Schritt baut seine Ops neu und führt jede sofort aus, wie es Skripte anderer Frameworks tun.</translation>
    </message>
    <message>
        <source>off: each op alone. on: an op whose result has one reader is fused with it, and the result never reaches memory (static graphs).</source>
        <translation>off: jede Op für sich. on: eine Op, deren Ergebnis nur einen Leser hat, wird mit ihm verschmolzen, und das Ergebnis gelangt nie in den Speicher (statische Graphen).</translation>
    </message>
    <message>
        <source>Worker threads; empty: all physical cores this process may use</source>
        <translation>Worker-Threads; leer: alle physischen Kerne, die dieser Prozess benutzen darf</translation>
    </message>
    <message>
        <source>on: thread k stays on one processor, cores in order, hyper-threads last; auto: where the workload has no threads of its own</source>
        <translation>on: Thread k bleibt auf einem Prozessor, Kerne der Reihe nach, Hyper-Threads zuletzt; auto: wo der Workload keine eigenen Threads hat</translation>
    </message>
    <message>
        <source>Timed steps; empty: until the median is known within 2 %, 5 to 50 steps, at most 20 s</source>
        <translation>Gemessene Schritte; leer: bis der Median auf 2 % bekannt ist, 5 bis 50 Schritte, höchstens 20 s</translation>
    </message>
    <message>
        <source>Seed of weights and data: the same seed gives the same numbers</source>
        <translation>Seed der Gewichte und Daten: derselbe Seed ergibt dieselben Zahlen</translation>
    </message>
    <message>
        <source>Replaces the first dimension of the model&apos;s inputs; empty keeps those of the file.</source>
        <translation>Ersetzt die erste Dimension der Eingaben des Modells; leer behält die der Datei.</translation>
    </message>
    <message>
        <source>Host-bound: {} of {} idle pass while the host does other work before it launches (Python, the framework, preparation, allocations). Launching itself takes {}.</source>
        <translation>Vom Host begrenzt: {} von {} Leerlauf vergehen, während der Host vor dem Start anderes tut (Python, das Framework, Vorbereitung, Speicher). Das Starten selbst braucht {}.</translation>
    </message>
    <message>
        <source>host-bound</source>
        <translation>vom Host begrenzt</translation>
    </message>
    <message>
        <source>the host's work between launches</source>
        <translation>andere Arbeit des Hosts zwischen Starts</translation>
    </message>
    <message>
        <source> Its Winograd kernels compute 1/{:.3g} of its FLOPs.</source>
        <translation> Seine Winograd-Kernel rechnen 1/{:.3g} seiner FLOPs.</translation>
    </message>
    <message>
        <source>compulsory bytes of these ops</source>
        <translation>notwendige Bytes dieser Operationen</translation>
    </message>
    <message>
        <source>The {} idles for {} of a step; for {} of it the host does other work before it launches.</source>
        <translation>Die {} steht {} eines Schritts still; {} davon tut der Host anderes, bevor er startet.</translation>
    </message>
    <message>
        <source>idle while the host did other work</source>
        <translation>Leerlauf, während der Host anderes tat</translation>
    </message>
    <message>
        <source>idle in calls and while work started</source>
        <translation>Leerlauf in Aufrufen und während Arbeit startete</translation>
    </message>
    <message>
        <source>all idle time in which the host did other work, at most</source>
        <translation>höchstens aller Leerlauf, in dem der Host anderes tat</translation>
    </message>
    <message>
        <source>See in the timeline what the host does there. Python and frameworks: compile the model, or record a CUDA graph. Results that the host reads each step: read them later. Preparation: do it ahead.</source>
        <translation>Die Zeitachse zeigt, was der Host dort tut. Python und Frameworks: das Modell übersetzen oder einen CUDA-Graphen aufzeichnen. Ergebnisse, die der Host in jedem Schritt liest: später lesen. Vorbereitung: vorher erledigen.</translation>
    </message>
    <message>
        <source>Kernels that only change a tensor's layout (NCHW to NHWC or back) take {} of a step.</source>
        <translation>Kernel, die nur die Anordnung eines Tensors ändern (NCHW nach NHWC oder zurück), brauchen {} eines Schritts.</translation>
    </message>
    <message>
        <source>in conversions per step</source>
        <translation>in Umordnungen pro Schritt</translation>
    </message>
    <message>
        <source>conversions per step</source>
        <translation>Umordnungen pro Schritt</translation>
    </message>
    <message>
        <source>all time of these kernels, at most</source>
        <translation>höchstens alle Zeit dieser Kernel</translation>
    </message>
    <message>
        <source>Keep the model and its inputs in the layout of the fast kernels: channels last, which in PyTorch is .to(memory_format=torch.channels_last).</source>
        <translation>Modell und Eingaben in der Anordnung der schnellen Kernel halten: Kanäle zuletzt, in PyTorch .to(memory_format=torch.channels_last).</translation>
    </message>
    <message>
        <source>No option of a run changes the layout of its tensors.</source>
        <translation>Keine Option eines Laufs ändert die Anordnung seiner Tensoren.</translation>
    </message>
    <message>
        <source>Whether arithmetic or memory binds is unknown: no roofs of this device are known.</source>
        <translation>Ob Rechnen oder Speicher begrenzt, ist unbekannt: Von diesem Gerät sind keine Grenzen bekannt.</translation>
    </message>
    <message>
        <source>Whether arithmetic or memory binds is unknown: the shapes and constants that the capture holds do not give the op's FLOPs and bytes.</source>
        <translation>Ob Rechnen oder Speicher begrenzt, ist unbekannt: Die aufgezeichneten Formen und Konstanten ergeben nicht die FLOPs und Bytes der Operation.</translation>
    </message>
    <message>
        <source>Whether arithmetic or memory binds is unknown: Winograd kernels compute a part of its FLOPs that their names do not tell.</source>
        <translation>Ob Rechnen oder Speicher begrenzt, ist unbekannt: Winograd-Kernel rechnen einen Teil seiner FLOPs, den ihre Namen nicht nennen.</translation>
    </message>
    <message>
        <source>Whether arithmetic or memory binds is unknown: no peak of this device is known for its dtype.</source>
        <translation>Ob Rechnen oder Speicher begrenzt, ist unbekannt: Für diesen Datentyp ist kein Spitzenwert des Geräts bekannt.</translation>
    </message>
    <message>
        <source>Whether arithmetic or memory binds is unknown: the operands fit into L2, and may come from there or from memory.</source>
        <translation>Ob Rechnen oder Speicher begrenzt, ist unbekannt: Die Operanden passen in den L2 und können von dort oder aus dem Speicher kommen.</translation>
    </message>
    <message>
        <source>The trace has no lanes of a data loader; what waits for one is in --table overlap and the findings.</source>
        <translation>Die Aufzeichnung hat keine Spuren eines Laders; was auf ihn wartet, steht in --table overlap und den Befunden.</translation>
    </message>
    <message>
        <source>It is one gap. Work from before the trace held it, most likely, or another program. Look at the rest with `analyze {}`.</source>
        <translation>Es ist eine einzige Lücke. Sehr wahrscheinlich hielt Arbeit von vor der Aufzeichnung es auf oder ein anderes Programm. Den Rest zeigt `analyze {}`.</translation>
    </message>
    <message>
        <source> The trace holds Python stacks, whose recording slows the host: check with one without them.</source>
        <translation> Die Aufzeichnung enthält Python-Stacks, deren Aufzeichnen den Host bremst: mit einer ohne sie prüfen.</translation>
    </message>
    <message>
        <source>{} compute in f32 outside the matrix units, whose peak is {:.2g} times as high.</source>
        <translation>{} rechnen in f32 außerhalb der Matrixeinheiten, deren Spitze {:.2g}-mal so hoch ist.</translation>
    </message>
    <message>
        <source>peak of TF32 by that of f32</source>
        <translation>Spitze von TF32 durch die von f32</translation>
    </message>
    <message>
        <source>peak of f16 by that of f32</source>
        <translation>Spitze von f16 durch die von f32</translation>
    </message>
    <message>
        <source>each of these ops in half its time, but no faster than its bytes</source>
        <translation>jede dieser Operationen in halber Zeit, doch nicht schneller als ihre Bytes</translation>
    </message>
    <message>
        <source>Allow TF32, or compute in 16 bits. In PyTorch: torch.set_float32_matmul_precision('high'), or torch.autocast.</source>
        <translation>TF32 erlauben oder in 16 Bit rechnen. In PyTorch: torch.set_float32_matmul_precision('high') oder torch.autocast.</translation>
    </message>
    <message>
        <source>Compute in 16 bits with weights in f32. In PyTorch: torch.autocast.</source>
        <translation>In 16 Bit rechnen, mit Gewichten in f32. In PyTorch: torch.autocast.</translation>
    </message>
    <message>
        <source>No option of a run changes another program's number format.</source>
        <translation>Keine Option eines Laufs ändert das Zahlenformat eines anderen Programms.</translation>
    </message>
    <message>
        <source>of that while the GPU did nothing (median)</source>
        <translation>davon, während die GPU nichts tat (Median)</translation>
    </message>
    <message>
        <source>the time in which the GPU did nothing while the host fetched data, at most</source>
        <translation>höchstens die Zeit, in der die GPU nichts tat, während der Host Daten holte</translation>
    </message>
</context>
</TS>
