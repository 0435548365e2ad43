// SPDX-License-Identifier: Apache-2.0
// CuptiApi: the functions of CUPTI we call, found by name at run time: nothing of ours needs CUPTI to be there.
#pragma once

#include <cupti.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/library_search.h"
#include "engine/base/result.h"

namespace profiler::cupti {

/// One pointer per function. Tests fill it with functions of their own.
struct CuptiApi {
  // for tracing: all are needed
  decltype(&::cuptiGetVersion) get_version = nullptr;
  decltype(&::cuptiGetResultString) get_result_string = nullptr;
  decltype(&::cuptiGetErrorMessage) get_error_message = nullptr;
  decltype(&::cuptiGetTimestamp) get_timestamp = nullptr;
  decltype(&::cuptiGetCallbackName) get_callback_name = nullptr;
  decltype(&::cuptiSubscribe_v2) subscribe_v2 = nullptr;
  decltype(&::cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&::cuptiEnableCallback) enable_callback = nullptr;
  decltype(&::cuptiSetThreadIdType) set_thread_id_type = nullptr;
  decltype(&::cuptiActivitySetAttribute) activity_set_attribute = nullptr;
  decltype(&::cuptiActivityRegisterCallbacks) activity_register_callbacks = nullptr;
  decltype(&::cuptiActivityEnable) activity_enable = nullptr;
  decltype(&::cuptiActivityDisable) activity_disable = nullptr;
  decltype(&::cuptiActivityEnableAndDump) activity_enable_and_dump = nullptr;
  decltype(&::cuptiActivityEnableRuntimeApi) activity_enable_runtime_api = nullptr;
  decltype(&::cuptiActivityEnableDriverApi) activity_enable_driver_api = nullptr;
  decltype(&::cuptiActivityEnableAllSyncRecords) activity_enable_all_sync_records = nullptr;
  decltype(&::cuptiActivityFlushAll) activity_flush_all = nullptr;
  decltype(&::cuptiActivityGetNextRecord) activity_get_next_record = nullptr;
  decltype(&::cuptiActivityGetNumDroppedRecords) activity_get_num_dropped_records = nullptr;
  decltype(&::cuptiActivityPushExternalCorrelationId) activity_push_external_correlation_id = nullptr;
  decltype(&::cuptiActivityPopExternalCorrelationId) activity_pop_external_correlation_id = nullptr;
  decltype(&::cuptiGetGraphNodeId) get_graph_node_id = nullptr;
  // for counters: all or none
  decltype(&::cuptiProfilerInitialize) profiler_initialize = nullptr;
  decltype(&::cuptiProfilerDeviceSupported) profiler_device_supported = nullptr;
  decltype(&::cuptiDeviceGetChipName) device_get_chip_name = nullptr;
  decltype(&::cuptiProfilerGetCounterAvailability) profiler_get_counter_availability = nullptr;
  decltype(&::cuptiProfilerHostInitialize) profiler_host_initialize = nullptr;
  decltype(&::cuptiProfilerHostDeinitialize) profiler_host_deinitialize = nullptr;
  decltype(&::cuptiProfilerHostGetSupportedChips) profiler_host_get_supported_chips = nullptr;
  decltype(&::cuptiProfilerHostConfigAddMetrics) profiler_host_config_add_metrics = nullptr;
  decltype(&::cuptiProfilerHostGetConfigImageSize) profiler_host_get_config_image_size = nullptr;
  decltype(&::cuptiProfilerHostGetConfigImage) profiler_host_get_config_image = nullptr;
  decltype(&::cuptiProfilerHostGetNumOfPasses) profiler_host_get_num_of_passes = nullptr;
  decltype(&::cuptiProfilerHostEvaluateToGpuValues) profiler_host_evaluate_to_gpu_values = nullptr;
  decltype(&::cuptiRangeProfilerEnable) range_profiler_enable = nullptr;
  decltype(&::cuptiRangeProfilerDisable) range_profiler_disable = nullptr;
  decltype(&::cuptiRangeProfilerGetCounterDataSize) range_profiler_get_counter_data_size = nullptr;
  decltype(&::cuptiRangeProfilerCounterDataImageInitialize) range_profiler_counter_data_image_initialize = nullptr;
  decltype(&::cuptiRangeProfilerSetConfig) range_profiler_set_config = nullptr;
  decltype(&::cuptiRangeProfilerStart) range_profiler_start = nullptr;
  decltype(&::cuptiRangeProfilerStop) range_profiler_stop = nullptr;
  decltype(&::cuptiRangeProfilerPushRange) range_profiler_push_range = nullptr;
  decltype(&::cuptiRangeProfilerPopRange) range_profiler_pop_range = nullptr;
  decltype(&::cuptiRangeProfilerDecodeData) range_profiler_decode_data = nullptr;
  decltype(&::cuptiRangeProfilerGetCounterDataInfo) range_profiler_get_counter_data_info = nullptr;
  decltype(&::cuptiRangeProfilerCounterDataGetRangeInfo) range_profiler_counter_data_get_range_info = nullptr;
  // for samples over time: all or none
  decltype(&::cuptiPmSamplingGetCounterAvailability) pm_sampling_get_counter_availability = nullptr;
  decltype(&::cuptiPmSamplingEnable) pm_sampling_enable = nullptr;
  decltype(&::cuptiPmSamplingDisable) pm_sampling_disable = nullptr;
  decltype(&::cuptiPmSamplingSetConfig) pm_sampling_set_config = nullptr;
  decltype(&::cuptiPmSamplingGetCounterDataSize) pm_sampling_get_counter_data_size = nullptr;
  decltype(&::cuptiPmSamplingCounterDataImageInitialize) pm_sampling_counter_data_image_initialize = nullptr;
  decltype(&::cuptiPmSamplingStart) pm_sampling_start = nullptr;
  decltype(&::cuptiPmSamplingStop) pm_sampling_stop = nullptr;
  decltype(&::cuptiPmSamplingDecodeData) pm_sampling_decode_data = nullptr;
  decltype(&::cuptiPmSamplingGetCounterDataInfo) pm_sampling_get_counter_data_info = nullptr;
  decltype(&::cuptiPmSamplingCounterDataGetSampleInfo) pm_sampling_counter_data_get_sample_info = nullptr;
};

/// Calls f(symbol, member) for each function that tracing needs.
template <class F>
void visit_trace_functions(CuptiApi& api, F&& f) {
  f("cuptiGetVersion", api.get_version);
  f("cuptiGetResultString", api.get_result_string);
  f("cuptiGetErrorMessage", api.get_error_message);
  f("cuptiGetTimestamp", api.get_timestamp);
  f("cuptiGetCallbackName", api.get_callback_name);
  f("cuptiSubscribe_v2", api.subscribe_v2);
  f("cuptiUnsubscribe", api.unsubscribe);
  f("cuptiEnableCallback", api.enable_callback);
  f("cuptiSetThreadIdType", api.set_thread_id_type);
  f("cuptiActivitySetAttribute", api.activity_set_attribute);
  f("cuptiActivityRegisterCallbacks", api.activity_register_callbacks);
  f("cuptiActivityEnable", api.activity_enable);
  f("cuptiActivityDisable", api.activity_disable);
  f("cuptiActivityEnableAndDump", api.activity_enable_and_dump);
  f("cuptiActivityEnableRuntimeApi", api.activity_enable_runtime_api);
  f("cuptiActivityEnableDriverApi", api.activity_enable_driver_api);
  f("cuptiActivityEnableAllSyncRecords", api.activity_enable_all_sync_records);
  f("cuptiActivityFlushAll", api.activity_flush_all);
  f("cuptiActivityGetNextRecord", api.activity_get_next_record);
  f("cuptiActivityGetNumDroppedRecords", api.activity_get_num_dropped_records);
  f("cuptiActivityPushExternalCorrelationId", api.activity_push_external_correlation_id);
  f("cuptiActivityPopExternalCorrelationId", api.activity_pop_external_correlation_id);
  f("cuptiGetGraphNodeId", api.get_graph_node_id);
}

/// The same for counters.
template <class F>
void visit_counter_functions(CuptiApi& api, F&& f) {
  f("cuptiProfilerInitialize", api.profiler_initialize);
  f("cuptiProfilerDeviceSupported", api.profiler_device_supported);
  f("cuptiDeviceGetChipName", api.device_get_chip_name);
  f("cuptiProfilerGetCounterAvailability", api.profiler_get_counter_availability);
  f("cuptiProfilerHostInitialize", api.profiler_host_initialize);
  f("cuptiProfilerHostDeinitialize", api.profiler_host_deinitialize);
  f("cuptiProfilerHostGetSupportedChips", api.profiler_host_get_supported_chips);
  f("cuptiProfilerHostConfigAddMetrics", api.profiler_host_config_add_metrics);
  f("cuptiProfilerHostGetConfigImageSize", api.profiler_host_get_config_image_size);
  f("cuptiProfilerHostGetConfigImage", api.profiler_host_get_config_image);
  f("cuptiProfilerHostGetNumOfPasses", api.profiler_host_get_num_of_passes);
  f("cuptiProfilerHostEvaluateToGpuValues", api.profiler_host_evaluate_to_gpu_values);
  f("cuptiRangeProfilerEnable", api.range_profiler_enable);
  f("cuptiRangeProfilerDisable", api.range_profiler_disable);
  f("cuptiRangeProfilerGetCounterDataSize", api.range_profiler_get_counter_data_size);
  f("cuptiRangeProfilerCounterDataImageInitialize", api.range_profiler_counter_data_image_initialize);
  f("cuptiRangeProfilerSetConfig", api.range_profiler_set_config);
  f("cuptiRangeProfilerStart", api.range_profiler_start);
  f("cuptiRangeProfilerStop", api.range_profiler_stop);
  f("cuptiRangeProfilerPushRange", api.range_profiler_push_range);
  f("cuptiRangeProfilerPopRange", api.range_profiler_pop_range);
  f("cuptiRangeProfilerDecodeData", api.range_profiler_decode_data);
  f("cuptiRangeProfilerGetCounterDataInfo", api.range_profiler_get_counter_data_info);
  f("cuptiRangeProfilerCounterDataGetRangeInfo", api.range_profiler_counter_data_get_range_info);
}

/// The same for samples over time.
template <class F>
void visit_sample_functions(CuptiApi& api, F&& f) {
  f("cuptiPmSamplingGetCounterAvailability", api.pm_sampling_get_counter_availability);
  f("cuptiPmSamplingEnable", api.pm_sampling_enable);
  f("cuptiPmSamplingDisable", api.pm_sampling_disable);
  f("cuptiPmSamplingSetConfig", api.pm_sampling_set_config);
  f("cuptiPmSamplingGetCounterDataSize", api.pm_sampling_get_counter_data_size);
  f("cuptiPmSamplingCounterDataImageInitialize", api.pm_sampling_counter_data_image_initialize);
  f("cuptiPmSamplingStart", api.pm_sampling_start);
  f("cuptiPmSamplingStop", api.pm_sampling_stop);
  f("cuptiPmSamplingDecodeData", api.pm_sampling_decode_data);
  f("cuptiPmSamplingGetCounterDataInfo", api.pm_sampling_get_counter_data_info);
  f("cuptiPmSamplingCounterDataGetSampleInfo", api.pm_sampling_counter_data_get_sample_info);
}

/// An opened CUPTI. It is never closed again: it hooks into the driver.
struct CuptiLibrary {
  CuptiApi api;
  std::filesystem::path file;
  uint32_t version = 0;     ///< cuptiGetVersion(): 130001 is 13.0 update 1
  std::string no_counters;  ///< why counters are out of reach; empty: their functions and libnvperf are there
  std::string no_samples;   ///< the same for samples over time, which need counters
  std::string warning;      ///< known faults of this version; empty: none that matter here
};

/// $TENSORTIDE_CUPTI, else libcupti.so.13 wherever engine::nvidia_library_places() looks.
engine::LibraryPlaces cupti_places();

/// Opens the first that can be used. Refused, and the next one tried: a missing function, another major version (other
/// layouts of records), smaller records than we were built with. Also a version that overflows the stack without a
/// driver. `search`: what came of each.
engine::Result<CuptiLibrary> load_cupti(const engine::LibraryPlaces& places, engine::LibrarySearch* search = nullptr);

/// Refuses versions whose records we would misread: we were built with 13.0; later 13.x are held against
/// check_strides().
engine::Result<void> check_version(uint32_t version);

/// Has CUPTI step over two records of each kind we decode. Refused: a step smaller than our record. Longer records are
/// read: later versions only append to them, and the decoder steps as CUPTI does. The offsets of our fields are the
/// same in the headers of 13.0 to 13.5.
engine::Result<void> check_strides(decltype(CuptiApi::activity_get_next_record));

/// Faults of this version in calls that we make, and what helps; empty: none is known. CUPTI 13.0 before update 1 can
/// deadlock where the recording of kernels is switched off, and crash in cuptiActivityFlushAll. Source: release notes
/// of CUDA 13.0 update 1, "resolved issues".
std::string version_warning(uint32_t version);

/// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)".
std::string result_text(const CuptiApi&, CUptiResult);

}  // namespace profiler::cupti
