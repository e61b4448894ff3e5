// The package has no types; these are of the parts in use.
declare module 'nodemailer' {
  interface TransportOptions {
    readonly host: string
    readonly port: number
    /** TLS from the start. */
    readonly secure: boolean
    /** Refuses a server without STARTTLS. */
    readonly requireTLS: boolean
    readonly auth?: { readonly user: string; readonly pass: string }
    readonly connectionTimeout: number
    readonly greetingTimeout: number
    readonly socketTimeout: number
  }
  interface Message {
    readonly from: string
    readonly to: readonly string[]
    readonly subject: string
    readonly text: string
    readonly messageId?: string
    readonly headers?: Readonly<Record<string, string>>
  }
  interface Transport {
    sendMail(message: Message): Promise<{ readonly rejected: readonly unknown[] }>
    close(): void
  }
  export function createTransport(options: TransportOptions): Transport
}
