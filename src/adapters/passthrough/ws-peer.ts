import { WebSocket } from 'ws'
import type { Frame, Peer, PeerEnd, PeerEvents } from '../../gateway/ports.ts'

/** From so much on that waits to be sent, the other side is read no further; and again once no more than this waits. */
const HIGH_WATER = 262_144
const LOW_WATER = 65_536
/** The marks in frames, each of which takes more than its bytes. */
const HIGH_FRAMES = 1024
const LOW_FRAMES = 256
/** Replaces a missing code: RFC 6455 7.4.1. */
const NO_CODE = 1005
const ABNORMAL = 1006

/** A WebSocket of the package `ws`. */
export class WsPeer implements Peer {
  readonly #ws: WebSocket
  #events: PeerEvents | undefined
  #isFull = false
  /** Frames that wait to be sent. */
  #waiting = 0
  /** Once nothing more comes. */
  #end: PeerEnd | undefined

  constructor(ws: WebSocket) {
    this.#ws = ws
    ws.pause()
    // From the beginning: an error without a listener would end the process.
    ws.on('error', (error: Error & { code?: string }) => {
      this.#close({ reason: '', fault: faultOf(error.code) })
    })
    ws.on('close', (code: number, reason: Buffer) => this.#close(endOf(code, reason.toString())))
  }

  get protocol(): string | undefined {
    return this.#ws.protocol || undefined
  }

  attach(events: PeerEvents): void {
    const ws = this.#ws
    this.#events = events
    const take = (kind: Frame['kind']) => (bytes: Buffer) => this.#end || events.frame({ kind, bytes })
    const [text, binary] = [take('text'), take('binary')]
    ws.on('message', (bytes: Buffer, isBinary: boolean) => (isBinary ? binary(bytes) : text(bytes)))
    ws.on('ping', take('ping'))
    ws.on('pong', take('pong'))
    if (this.#end) events.closed(this.#end)
    else ws.resume()
  }

  send({ kind, bytes }: Frame): boolean {
    const ws = this.#ws
    if (ws.readyState !== WebSocket.OPEN) return true
    this.#waiting++
    const sent = () => this.#sent()
    if (kind === 'ping') ws.ping(bytes, undefined, sent)
    else if (kind === 'pong') ws.pong(bytes, undefined, sent)
    else ws.send(bytes, { binary: kind === 'binary' }, sent)
    this.#isFull ||= ws.bufferedAmount > HIGH_WATER || this.#waiting > HIGH_FRAMES
    return !this.#isFull
  }

  pause(): void {
    this.#ws.pause()
  }

  resume(): void {
    this.#ws.resume()
  }

  close(code: number | undefined, reason: string): void {
    if (code === undefined) this.#ws.close()
    else this.#ws.close(code, reason)
    // Frames that still come are read for the goodbye in them.
    this.#ws.resume()
  }

  destroy(): void {
    this.#ws.terminate()
  }

  #sent(): void {
    this.#waiting--
    if (!this.#isFull || this.#ws.bufferedAmount > LOW_WATER || this.#waiting > LOW_FRAMES) return
    this.#isFull = false
    if (!this.#end) this.#events?.drained()
  }

  #close(end: PeerEnd): void {
    if (this.#end) return
    this.#end = end
    this.#events?.closed(end)
  }
}

function endOf(code: number, reason: string): PeerEnd {
  if (code === ABNORMAL) return { reason: '', fault: 'broke off' }
  return { reason, ...(code !== NO_CODE && { code }) }
}

function faultOf(code = ''): NonNullable<PeerEnd['fault']> {
  if (/UNSUPPORTED_(MESSAGE|DATA_PAYLOAD)_LENGTH|TOO_MANY/.test(code)) return 'message too large'
  return code.startsWith('WS_ERR_') ? 'not WebSocket' : 'broke off'
}
