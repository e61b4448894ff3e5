import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

interface MailRefusals {
  /** An address that the server refuses. */
  readonly address?: string
  /** The reply by which it refuses every address, with its code: `554 5.7.1 Relay access denied`. */
  readonly relay?: string
  /** Whether it refuses every sender. */
  readonly sender?: true
}

/** A real SMTP server that keeps what it takes; with a user it wants one to sign in. */
export async function mailbox(
  user?: { readonly name: string; readonly password: string },
  refused: string | MailRefusals = {},
) {
  const {
    address: refusedAddress,
    relay,
    sender,
  }: MailRefusals = typeof refused === 'string' ? { address: refused } : refused
  const mails: { readonly from: string; readonly to: readonly string[]; readonly text: string }[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', ...(user ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    authOptional: user === undefined,
    onAuth: (auth, _session, done) =>
      user && auth.username === user.name && auth.password === user.password
        ? done(null, { user: user.name })
        : done(new Error('wrong password')),
    onMailFrom: (_address, _session, done) => done(sender ? new Error('no such sender') : null),
    onRcptTo: ({ address }, _session, done) => {
      if (relay === undefined) return done(address === refusedAddress ? new Error('no such mailbox') : null)
      const [code, ...words] = relay.split(' ')
      done(Object.assign(new Error(words.join(' ')), { responseCode: Number(code) }))
    },
    onData: (stream, { envelope }, done) => {
      let text = ''
      stream.on('data', chunk => {
        text += chunk
      })
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>(resolve => server.close(() => resolve())))
  return { port: (server.server.address() as AddressInfo).port, mails }
}
