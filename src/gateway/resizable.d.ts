/** The part of ES2024 that every supported Node has. */
interface ArrayBuffer {
  resize(newByteLength: number): void
}

interface ArrayBufferConstructor {
  new (byteLength: number, options: { readonly maxByteLength: number }): ArrayBuffer
}
