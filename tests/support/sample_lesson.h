// SPDX-License-Identifier: Apache-2.0
// A small lesson whose command is exact and quick: two questions, one command, their answers. Tests add blocks to it.
#pragma once

namespace tests {

constexpr const char* kLessonQuestions = R"(+++
title = "Bits"
chapter = 4
rows = ["D2"]
+++

## A number

```predict
id = "stored"
kind = "number"
question = "What does f16 store for 1.4?"
```

```predict
id = "less"
kind = "choice"
question = "Less, or more?"
choices = ["less", "more"]
```

)";

constexpr const char* kLessonAnswers = R"(```run
id = "half"
command = "number 1.4 --dtype f16"
```

```answer
predict = "stored"
query = "half.formats[dtype=f16].value"
within = "0.0001"
```

```answer
predict = "less"
query = "half.formats[dtype=f16].value"
bins = [1.4]
```

```explain
It stores {half.formats[dtype=f16].value}.
```

)";

}  // namespace tests
