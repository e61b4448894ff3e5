import { writeFileSync } from 'node:fs'

/** A tensor of 32-bit floats: its rows one after the other. */
export interface Tensor {
  readonly name: string
  /** Length of a row first, as GGUF has it. */
  readonly shape: readonly number[]
  readonly values: Float32Array
}

/** A value of the header. Numbers without a point are `u32`, which most of llama.cpp's keys are. */
export type Metadata =
  | { readonly u32: number }
  | { readonly f32: number }
  | { readonly flag: boolean }
  | { readonly text: string }
  | { readonly texts: readonly string[] }
  | { readonly i32s: readonly number[] }

/** Numbers of the types in the format. */
const TYPES = { u32: 4, i32: 5, f32: 6, flag: 7, text: 8, list: 9 } as const
const FLOAT32 = 0
const ALIGNMENT = 32
const VERSION = 3

/** Writes a model in the GGUF format, version 3. */
export function writeGguf(path: string, metadata: ReadonlyMap<string, Metadata>, tensors: readonly Tensor[]): void {
  const parts: Buffer[] = [Buffer.from('GGUF'), u32(VERSION), u64(tensors.length), u64(metadata.size)]
  for (const [key, value] of metadata) parts.push(text(key), ...written(value))
  let offset = 0
  for (const { name, shape, values } of tensors) {
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(FLOAT32), u64(offset))
    offset += values.byteLength + padding(values.byteLength)
  }
  const header = Buffer.concat(parts)
  const data = tensors.flatMap(({ values }) => [
    Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    Buffer.alloc(padding(values.byteLength)),
  ])
  writeFileSync(path, Buffer.concat([header, Buffer.alloc(padding(header.length)), ...data]))
}

const padding = (bytes: number): number => (ALIGNMENT - (bytes % ALIGNMENT)) % ALIGNMENT

function written(value: Metadata): readonly Buffer[] {
  if ('u32' in value) return [u32(TYPES.u32), u32(value.u32)]
  if ('f32' in value) return [u32(TYPES.f32), f32(value.f32)]
  if ('flag' in value) return [u32(TYPES.flag), Buffer.from([value.flag ? 1 : 0])]
  if ('text' in value) return [u32(TYPES.text), text(value.text)]
  if ('texts' in value) return [...list(TYPES.text, value.texts.length), ...value.texts.map(text)]
  return [...list(TYPES.i32, value.i32s.length), ...value.i32s.map(u32)]
}

const list = (type: number, length: number): readonly Buffer[] => [u32(TYPES.list), u32(type), u64(length)]

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)])
