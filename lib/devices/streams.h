// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What others need of the public streams.
#pragma once

#include "devices/devices.h"

namespace krait::host {

/// The stream's record. Throws error{usage} where it was moved from.
StreamRecord& alive(const krait::stream& s);
/// Throws error{usage}, too, where the stream is not of the device.
StreamRecord& stream_on(const DeviceHandle& device, const krait::stream& s, const char* operation);

/// Streams of one wait for events of the other.
bool are_peers(const DeviceHandle& a, const DeviceHandle& b);
/// The stream as errors know it: null for the default one, which others have a handle of, too.
StreamRecord* known_as(StreamRecord* stream);

/// A stream of a device, null for the default one.
struct StreamOn {
  runtime::Device& device;
  runtime::StreamHandle handle;
};
/// The second waits for what the first holds now; the two are of one device or of peers
/// (runtime/async.h).
void order(const StreamOn& first, const StreamOn& second);

}  // namespace krait::host
