// The part of the package `ws` in use. The types of DefinitelyTyped do not know its newer bounds.
declare module 'ws' {
  import type { EventEmitter } from 'node:events'
  import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
  import type { Duplex } from 'node:stream'

  interface Bounds {
    readonly perMessageDeflate?: boolean
    readonly autoPong?: boolean
    readonly allowSynchronousEvents?: boolean
    readonly maxPayload?: number
    readonly maxFragments?: number
    readonly maxBufferedChunks?: number
    readonly closeTimeout?: number
  }

  interface ClientOptions extends Bounds {
    readonly headers?: Readonly<Record<string, string>>
    readonly lookup?: RequestOptions['lookup']
    readonly finishRequest?: (request: ClientRequest) => void
  }

  export class WebSocket extends EventEmitter {
    static readonly OPEN: number
    constructor(url: URL | string, protocols: readonly string[], options: ClientOptions)
    readonly readyState: number
    readonly bufferedAmount: number
    readonly protocol: string
    send(
      data: Buffer | string,
      options?: { readonly binary?: boolean; readonly fin?: boolean },
      sent?: () => void,
    ): void
    ping(data: Buffer, mask?: undefined, sent?: () => void): void
    pong(data: Buffer, mask?: undefined, sent?: () => void): void
    pause(): void
    resume(): void
    close(code?: number, reason?: string): void
    terminate(): void
  }

  interface ServerOptions extends Bounds {
    readonly noServer: true
    readonly clientTracking: false
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: ServerOptions)
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, run: (socket: WebSocket) => void): void
  }
}
