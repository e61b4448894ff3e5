// The package has no types; these are of the parts in use.
declare module 'smtp-server' {
  import type { EventEmitter } from 'node:events'
  import type { Server } from 'node:net'

  type Done = (error: Error | null, answer?: { readonly user: string }) => void
  interface Envelope {
    readonly mailFrom: false | { readonly address: string }
    readonly rcptTo: readonly { readonly address: string }[]
  }
  interface Options {
    readonly disabledCommands: readonly string[]
    readonly allowInsecureAuth: boolean
    readonly authOptional: boolean
    onAuth(auth: { readonly username?: string; readonly password?: string }, session: unknown, done: Done): void
    onMailFrom(address: { readonly address: string }, session: unknown, done: (error: Error | null) => void): void
    onRcptTo(address: { readonly address: string }, session: unknown, done: (error: Error | null) => void): void
    onData(stream: EventEmitter, session: { readonly envelope: Envelope }, done: () => void): void
  }
  export class SMTPServer {
    constructor(options: Options)
    readonly server: Server
    listen(port: number, host: string, listening: () => void): void
    on(event: 'error', hear: (error: Error) => void): void
    close(closed: () => void): void
  }
}
