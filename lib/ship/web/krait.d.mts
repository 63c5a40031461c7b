// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of krait.mjs. GPUDevice and GPUBuffer are WebGPU's own (@webgpu/types, where the compiler's library lacks them).

/** An array that a kernel takes: its elements, memory on the device, either with a shape, or a shape alone, whose elements are zeros. */
export type Elements<T> = T | GPUBuffer | { data: T; shape?: number[] } | { buffer: GPUBuffer; offset?: number; size?: number; shape?: number[] } | { shape: number[] };

/** What comes back for an array that the kernel writes: a new array of its elements, or the GPUBuffer that was passed. */
export type Result<Given, T> = Given extends GPUBuffer ? GPUBuffer : Given extends { buffer: GPUBuffer } ? GPUBuffer : T;

/** Memory on the device. */
export type OnDevice = GPUBuffer | { buffer: GPUBuffer; offset?: number };

/** The launch, where it is not the example's. */
export interface LaunchOptions {
  /** Blocks, x first. */
  grid?: number | number[];
  /** Threads of a block, x first. */
  block?: number | number[];
  /** Threads in all, x first: the grid that covers them. */
  threads?: number | number[];
  /** Gets the time of the launch: by the GPU's clock where the device has the feature timestamp-query, else by the host's. */
  timing?: { milliseconds?: number; clock?: 'gpu' | 'host' };
  /** Of a kernel that prints: gets each line. Without it they go to the console. */
  print?: (line: string) => void;
}

/** A device with the limits of its adapter. Rejects where there is no WebGPU. */
export function requestDevice(): Promise<GPUDevice>;
export function deviceOf(adapter: GPUAdapter): Promise<GPUDevice>;
/** What a device does with f32; kernels that need it ask by themselves. */
export function probe(device: GPUDevice): Promise<{ exact_fma: number; exact_division: number; exact_root: number; flushes: number }>;
export function bytesOf(base64: string): Uint8Array;
export function arrayOfType(type: string, bytes: Uint8Array): ArrayBufferView;
/** Makes the function that a kernel's module exports, of what that module knows of its kernel. */
export function kernel(description: object): (device: GPUDevice, ...given: unknown[]) => Promise<unknown>;
