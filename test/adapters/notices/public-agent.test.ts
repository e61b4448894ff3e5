import { expect, it, onTestFinished } from 'vitest'
import { post } from '../../../src/adapters/notices/post.ts'
import { publicAgent } from '../../../src/adapters/notices/public-agent.ts'
import { NoticeRefused } from '../../../src/gateway/notices/lane.ts'
import { type PostedMessage, startPublicHost } from '../../support/public-host.ts'

const HOST = 'hooks.example.com'

/** A server for HOST, and a resolver that answers in turn. */
async function start(answers: readonly (readonly string[])[]) {
  const { ways, messages, statuses, headers, lead, asked, close } = await startPublicHost(HOST)
  onTestFinished(close)
  lead.to = () => answers[Math.min(asked.length, answers.length) - 1] ?? []
  const agent = publicAgent(ways)
  onTestFinished(() => agent.destroy())
  const send = (url = `https://${HOST}/hook`) => post({ url, body: '{}', headers: {}, dispatcher: agent })
  return { send, messages, asked, statuses, headers }
}

/** Where the messages came. */
const placesOf = (messages: readonly PostedMessage[]) =>
  messages.map(({ address, host, path }) => `${address} ${host} ${path}`)

it('a notice goes to the address that was checked, by the name of the URL', async () => {
  const { send, messages, asked } = await start([['127.0.0.2']])
  await send()
  expect(placesOf(messages)).toEqual([`127.0.0.2 ${HOST} /hook`])
  expect(asked).toEqual([HOST])
})

it('a name that leads to another address with each question is looked up once for a connection, and goes nowhere else', async () => {
  const { send, messages, asked } = await start([['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1']])
  await send()
  expect([messages.length, asked.length]).toEqual([1, 1])
  await expect(send()).rejects.toThrow('hooks.example.com has an address that is not of the public internet')
  expect(placesOf(messages)).toEqual([`127.0.0.2 ${HOST} /hook`])
})

it.each([
  ['loopback', ['127.0.0.1']],
  ['one of several', ['127.0.0.2', '10.0.0.1']],
  ['metadata', ['169.254.169.254']],
  ['IPv4 in IPv6', ['::ffff:127.0.0.2']],
])('a name with an address that is not public is refused, and no connection is opened: %s', async (_, addresses) => {
  const { send, messages } = await start([addresses])
  await expect(send()).rejects.toBeInstanceOf(NoticeRefused)
  expect(messages).toEqual([])
})

it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://2130706433/', 'https://[::ffff:127.0.0.2]/', 'https://0/'])(
  'a URL with an address that is not public is refused without a question: %s',
  async url => {
    const { send, messages, asked } = await start([['127.0.0.2']])
    await expect(send(url)).rejects.toBeInstanceOf(NoticeRefused)
    expect([...messages, ...asked]).toEqual([])
  },
)

it.each([`http://${HOST}/`, `https://${HOST}:8443/`, `http://${HOST}:443/`])(
  'a URL that is not https on port 443 is refused: %s',
  async url => {
    const { send, messages } = await start([['127.0.0.2']])
    await expect(send(url)).rejects.toThrow('a webhook has to be https on port 443')
    expect(messages).toEqual([])
  },
)

it('a redirect is not followed, whatever its address', async () => {
  const { send, messages, statuses, headers } = await start([['127.0.0.2']])
  statuses.push(302)
  headers.location = 'http://169.254.169.254/latest/meta-data'
  await expect(send()).rejects.toThrow('it answered 302')
  expect(messages).toHaveLength(1)
})

it('a certificate of another name is refused', async () => {
  const { send, messages } = await start([['127.0.0.3']])
  await expect(send('https://other.example.com/')).rejects.toThrow(/altnames|certificate/i)
  expect(messages).toEqual([])
})
