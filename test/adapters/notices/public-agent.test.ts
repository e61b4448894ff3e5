import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buildConnector } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { post } from '../../../src/adapters/notices/post.ts'
import { publicAgent } from '../../../src/adapters/notices/public-agent.ts'
import { NoticeRefused } from '../../../src/gateway/notices/lane.ts'
import { selfSigned } from '../../support/certificate.ts'

const HOST = 'hooks.example.com'

/** A server for HOST on an address that the agent of the test takes for public, and a resolver that answers in turn. */
async function start(answers: readonly (readonly string[])[]) {
  const { key, cert } = selfSigned(HOST)
  const heard: string[] = []
  const reply = { status: 200, headers: {} as Record<string, string>, body: 'ok' }
  const server = createServer({ key, cert }, (request, response) => {
    heard.push(`${request.socket.localAddress} ${request.headers.host} ${request.url}`)
    response.writeHead(reply.status, reply.headers).end(reply.body)
  })
  await new Promise<void>(resolve => server.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const asked: string[] = []
  const agent = publicAgent({
    isPublic: address => address === '127.0.0.2' || address === '127.0.0.3',
    resolve: async host => {
      asked.push(host)
      const addresses = answers[Math.min(asked.length, answers.length) - 1] ?? []
      return addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    },
    // Tests may not listen on port 443.
    connector: options => {
      const connect = buildConnector({ ...options, ca: cert })
      return (to, callback) => connect({ ...to, port: String(port) }, callback)
    },
  })
  onTestFinished(() => agent.destroy())
  const send = (url = `https://${HOST}/hook`) => post({ url, body: '{}', headers: {}, dispatcher: agent })
  return { send, heard, asked, reply }
}

it('a notice goes to the address that was checked, by the name of the URL', async () => {
  const { send, heard, asked } = await start([['127.0.0.2']])
  await send()
  expect(heard).toEqual([`127.0.0.2 ${HOST} /hook`])
  expect(asked).toEqual([HOST])
})

it('a name that leads to another address with each question is looked up once for a connection, and goes nowhere else', async () => {
  const { send, heard, asked } = await start([['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1']])
  await send()
  expect([heard.length, asked.length]).toEqual([1, 1])
  await expect(send()).rejects.toThrow('hooks.example.com has an address that is not of the public internet')
  expect(heard).toEqual([`127.0.0.2 ${HOST} /hook`])
})

it.each([
  ['loopback', ['127.0.0.1']],
  ['one of several', ['127.0.0.2', '10.0.0.1']],
  ['metadata', ['169.254.169.254']],
  ['IPv4 in IPv6', ['::ffff:127.0.0.2']],
])('a name with an address that is not public is refused, and no connection is opened: %s', async (_, addresses) => {
  const { send, heard } = await start([addresses])
  await expect(send()).rejects.toBeInstanceOf(NoticeRefused)
  expect(heard).toEqual([])
})

it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://2130706433/', 'https://[::ffff:127.0.0.2]/', 'https://0/'])(
  'a URL with an address that is not public is refused without a question: %s',
  async url => {
    const { send, heard, asked } = await start([['127.0.0.2']])
    await expect(send(url)).rejects.toBeInstanceOf(NoticeRefused)
    expect([...heard, ...asked]).toEqual([])
  },
)

it.each([`http://${HOST}/`, `https://${HOST}:8443/`, `http://${HOST}:443/`])(
  'a URL that is not https on port 443 is refused: %s',
  async url => {
    const { send, heard } = await start([['127.0.0.2']])
    await expect(send(url)).rejects.toThrow('a webhook has to be https on port 443')
    expect(heard).toEqual([])
  },
)

it('a redirect is not followed, whatever its address', async () => {
  const { send, heard, reply } = await start([['127.0.0.2']])
  Object.assign(reply, { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data' } })
  await expect(send()).rejects.toThrow('it answered 302')
  expect(heard).toHaveLength(1)
})

it('a certificate of another name is refused', async () => {
  const { send, heard } = await start([['127.0.0.3']])
  await expect(send('https://other.example.com/')).rejects.toThrow(/altnames|certificate/i)
  expect(heard).toEqual([])
})
