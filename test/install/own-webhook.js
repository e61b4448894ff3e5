// Sends notices to https://hooks.example.com as a gateway does for customers, in a network of its own: node
// test/install/own-webhook.js GATEWAY ANSWERS KEY CERT. GATEWAY is the folder of its compiled modules, and ANSWERS are the
// addresses of the name, one list for each look-up. Prints as JSON the outcome of each notice and the messages of port 443.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { pathToFileURL } from 'node:url'
import { Webhook } from 'standardwebhooks'

const [, , gateway, answers, key, cert] = process.argv
const lists = JSON.parse(answers)
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const A = 1

/** A name server that gives the next list of addresses with each question for IPv4. */
let asked = 0
const names = createSocket('udp4')
names.on('message', (question, { port, address }) => {
  const end = question.indexOf(0, 12) + 5
  const isV4 = question.readUInt16BE(end - 4) === A
  const addresses = isV4 ? (lists[Math.min(asked++, lists.length - 1)] ?? []) : []
  const head = Buffer.from(question.subarray(0, end))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  // Further records, such as EDNS, are left out.
  head.writeUInt32BE(0, 8)
  const records = addresses.map(text =>
    Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...text.split('.').map(Number)]),
  )
  names.send(Buffer.concat([head, ...records]), port, address)
})
names.bind(53, '127.0.0.1')
await once(names, 'listening')

const messages = []
const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
  let body = ''
  request.on('data', chunk => {
    body += chunk
  })
  request.on('end', () => {
    const { localAddress, localPort } = request.socket
    const { type } = new Webhook(SECRET).verify(body, request.headers)
    messages.push([`${localAddress}:${localPort}`, request.headers.host, request.headers['webhook-id'], type])
    // The first one is lost.
    response.writeHead(messages.length === 1 ? 503 : 200).end()
  })
}).listen(443, '0.0.0.0')
await once(server, 'listening')

const load = path => import(pathToFileURL(`${gateway}/${path}`).href)
const { publicAgent } = await load('adapters/notices/public-agent.js')
const { WebhookTarget } = await load('adapters/notices/webhook.js')
const agent = publicAgent()
const send = async (url, id) => {
  const notice = { id, at: Date.now(), event: { kind: 'test', by: 'ops' }, deliveries: [] }
  const target = new WebhookTarget({ url, secret: () => SECRET }, agent, Date.now)
  return target.send([{ notice, delivery: { target: 'acct_1/webhook', state: 'waiting', tries: 0 } }]).then(
    () => 'taken',
    error => error.message,
  )
}
const outcomes = []
for (const [at] of lists.entries()) outcomes.push(await send('https://hooks.example.com/', `ntc_${Math.max(1, at)}`))
outcomes.push(await send('https://10.0.0.5/', 'ntc_inside'))
console.log(JSON.stringify({ outcomes, messages, asked }))
process.exit()
