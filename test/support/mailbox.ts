import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A real SMTP server that keeps what it takes; with a user it wants one to sign in. */
export async function mailbox(user?: { readonly name: string; readonly password: string }, refused?: string) {
  const mails: { readonly from: string; readonly to: readonly string[]; readonly text: string }[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', ...(user ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    authOptional: user === undefined,
    onAuth: (auth, _session, done) =>
      user && auth.username === user.name && auth.password === user.password
        ? done(null, { user: user.name })
        : done(new Error('wrong password')),
    onRcptTo: ({ address }, _session, done) => done(address === refused ? new Error('no such mailbox') : null),
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
