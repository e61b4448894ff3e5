import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One answer as it came over a socket. */
export interface RawAnswer {
  readonly status: number
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The bytes on a socket before the server or the test closed it. */
export interface Heard {
  /** Without interim ones. */
  readonly answers: readonly RawAnswer[]
  /** The bytes after the last whole answer. */
  readonly rest: string
  /** Whether the server ended it while we would have gone on. */
  readonly closed: boolean
}

export interface Talk {
  /** Said at once; text as latin1. */
  readonly bytes: string | Buffer
  /** We end our side at once: the bytes stop in the middle of something. */
  readonly cut?: boolean
  /** How many answers to wait for before closing: 1. */
  readonly wanted?: number
  /** Runs whenever something arrives. */
  readonly onData?: () => void
}

/** Sends bytes as they are and hears what comes, until the connection is over. We end it after an answer that keeps it. */
export async function talk(port: number, { bytes, cut = false, wanted = 1, onData = () => {} }: Talk): Promise<Heard> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  socket.setNoDelay(true)
  let text = ''
  let ours = cut
  socket.on('error', () => {})
  socket.on('data', chunk => {
    text += chunk.toString('latin1')
    onData()
    const answer = answersIn(text).answers[wanted - 1]
    if (!answer || answer.headers.connection === 'close' || ours) return
    ours = true
    socket.end()
  })
  const ended = new Promise<boolean>(resolve => {
    socket.once('end', () => resolve(!ours))
    socket.once('close', () => resolve(!ours))
  })
  socket.write(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, 'latin1'))
  if (cut) socket.end()
  const closed = await ended
  if (!socket.destroyed) socket.end()
  await gone(socket)
  return { ...answersIn(text), closed }
}

/** Resolves once the connection is over. A server that closes it while we still write resets it: that is an end too. */
export async function gone(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise<void>(resolve => socket.once('close', () => resolve()))
}

/** The answers that a text begins with. It does not support HEAD. */
export function answersIn(text: string): { readonly answers: RawAnswer[]; readonly rest: string } {
  const answers: RawAnswer[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(rest) ?? []
    if (end === -1 || status === undefined) return { answers, rest }
    const lines = rest.slice(0, end).split('\r\n').slice(1)
    const headers = Object.fromEntries(
      lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const length = Number(headers['content-length'] ?? 0)
    const body = rest.slice(end + 4, end + 4 + length)
    if (body.length < length) return { answers, rest }
    if (Number(status) >= 200) answers.push({ status: Number(status), headers, body })
    rest = rest.slice(end + 4 + length)
  }
}
