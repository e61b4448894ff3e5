// A hostile client, as a process of its own: node hostile.js '{"url", "keys", "addresses", "attack", …}'. Says as JSON what it was answered.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const { url, keys, addresses, attack, connections, seconds } = JSON.parse(process.argv[2] ?? '')
const { hostname, port } = new URL(url)
const PROMPT = JSON.stringify(JSON.stringify({ label: 'hostile', script: {} }))
const MESSAGES = `"messages":[{"role":"user","content":${PROMPT}}],"max_tokens":16`
const listed = (count, each) => Array.from({ length: count }, (_, n) => each(n)).join(',')

/** Close to every bound: names and short texts that are new, and other values. */
const dearest = [
  listed(9_800, n => `{"k${n}":1}`),
  listed(31_800, n => `"s${n}"`),
  listed(50_000, n => `"${String(n).padStart(12, 'x')}"`),
].join(',')

/** Bodies that say little and take long: of names beyond the bound, and of as much as is let through. */
const bodies = {
  names: `{"metadata":{${listed(240_000, n => `"${(n * 7919) % 100_000_000}":1`)}},${MESSAGES}}`,
  dear: `{"tools":[{"type":"function","function":{"name":"f","parameters":{"enum":[${dearest}]}}}],${MESSAGES}}`,
  invalid: `{"metadata":[${dearest}],"messages":7}`,
  large: `{"metadata":"${'x'.repeat(9_989_000)}",${MESSAGES}}`,
}

/** The number of answers by status and code. */
const told = {}
let sent = 0

class Connection {
  #socket
  #text = ''
  #heard = () => {}
  isOver = false

  constructor(n) {
    this.key = keys[n % keys.length]
    this.#socket = connect({ host: hostname, port: Number(port), localAddress: addresses[n % addresses.length] })
    this.#socket.on('data', bytes => this.#take(bytes.toString('latin1')))
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.isOver = true
      this.#heard()
    })
  }

  write(text) {
    if (this.isOver) return undefined
    return new Promise(resolve => this.#socket.write(text, () => resolve()))
  }

  begin(body, keep = body.length) {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${this.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    return this.write(head + body.slice(0, keep))
  }

  /** Resolves once it was answered, or broken. */
  answered() {
    return this.isOver
      ? undefined
      : new Promise(resolve => {
          this.#heard = resolve
        })
  }

  end() {
    this.#socket.destroy()
  }

  #take(text) {
    this.#text += text
    const end = this.#text.indexOf('\r\n\r\n')
    if (end === -1) return
    const length = Number(/content-length: (\d+)/i.exec(this.#text)?.[1] ?? 0)
    if (this.#text.length < end + 4 + length) return
    const code = /"code":"(\w+)"/.exec(this.#text)?.[1] ?? ''
    const said = `${this.#text.slice(9, 12)} ${code}`.trim()
    told[said] = (told[said] ?? 0) + 1
    if (/connection: close/i.test(this.#text)) this.isOver = true
    this.#text = ''
    this.#heard()
  }
}

const all = () => Array.from({ length: connections }, (_, n) => new Connection(n))
const patient = (promise, ms) => Promise.race([promise, sleep(ms, undefined, { ref: false })])

const attacks = {
  /** All that is missing of each body is its last byte, which then comes of all at once. */
  async burst(body) {
    const open = all()
    await Promise.all(open.map(each => patient(each.begin(body, body.length - 1), 10_000)))
    await sleep(1000)
    const answers = open.map(each => each.answered())
    for (const each of open) each.write(body.slice(-1))
    await patient(Promise.all(answers), 1000 * seconds)
    for (const each of open) each.end()
  },

  /** One body after the other, as fast as they are taken. */
  async stream(body) {
    const until = performance.now() + 1000 * seconds
    const one = async n => {
      let connection = new Connection(n)
      while (performance.now() < until) {
        if (connection.isOver) {
          connection.end()
          await sleep(20)
          connection = new Connection(n)
        }
        const answer = connection.answered()
        await patient(connection.begin(body), 10_000)
        sent += body.length
        await patient(answer, 10_000)
        // As fast as a line of some 50 Mbit/s.
        await sleep((body.length / 6_000_000) * 1000 * connections - 0)
      }
      connection.end()
    }
    await Promise.all(Array.from({ length: connections }, (_, n) => one(n)))
  },

  /** Nearly all of each body, and then nothing more. */
  async hold(body) {
    const open = all()
    for (const each of open) each.begin(body, body.length - 90_000)
    await sleep(1000 * seconds)
    for (const each of open) each.end()
  },
}

const [how, what] = attack.split(' ')
await attacks[how](bodies[what])
process.stdout.write(`${JSON.stringify({ told, sent })}\n`, () => process.exit(0))
