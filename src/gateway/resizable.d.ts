/** What every node of ours has of ES2024, beside others of its methods that some have not. */
interface ArrayBuffer {
  resize(newByteLength: number): void
}

interface ArrayBufferConstructor {
  new (byteLength: number, options: { readonly maxByteLength: number }): ArrayBuffer
}
