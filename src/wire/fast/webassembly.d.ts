/** As much of it as is used here: the types of Node 20 have none. */
declare namespace WebAssembly {
  class Module {
    constructor(code: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports?: Readonly<Record<string, object>>)
    readonly exports: object
  }
  interface Memory {
    /** Another one once it has grown. */
    readonly buffer: ArrayBuffer
  }
}
