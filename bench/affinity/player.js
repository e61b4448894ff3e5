// Plays dialogues against gateways over HTTP, with pauses that are so many times shorter.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { random } from './workloads.js'

const texts = new Map()

/** A text of so many tokens of four bytes. Equal names have equal texts. */
function textOf(name, tokens) {
  const known = texts.get(name)
  if (known !== undefined) return known
  const next = random([...name].reduce((seed, letter) => Math.imul(seed, 31) + letter.charCodeAt(0), 7))
  const letter = () => String.fromCharCode(97 + Math.floor(26 * next()))
  const text = Array.from({ length: tokens }, () => `${letter()}${letter()}${letter()} `).join('')
  texts.set(name, text)
  return text
}

/**
 * Has so many agents play dialogues one after the other, whole, so that a slow machine plays the same requests as a fast one.
 * Returns `rows` of `{ prompt, cached }` tokens as usage has them with the seconds to the `first` content, without the first
 * fifth of the requests, and how many `failed`.
 */
export async function playOver({ urls, keys, dialogues, agents, speed }) {
  const result = { rows: [], failed: 0 }
  const skipped = dialogues.reduce((sum, { turns }) => sum + turns.length, 0) / 5
  let sent = 0
  const turnOf = async (dialogue, messages, { in: asked, out }, index) => {
    const more = textOf(`${dialogue.id}.${index}`, asked)
    const last = messages.at(-1)
    if (last.role === 'user') last.content += more
    else messages.push({ role: 'user', content: more })
    const number = sent++
    const answer = await ask(urls[number % urls.length], keys.get(dialogue.account), { messages, max_tokens: out })
    if ('problem' in answer) {
      if (result.failed++ === 0) console.error(answer.problem)
      return false
    }
    messages.push({ role: 'assistant', content: answer.text })
    const { prompt, cached, firstMs } = answer
    if (number >= skipped) result.rows.push({ prompt, cached, first: (speed * firstMs) / 1000 })
    return true
  }
  const talk = async dialogue => {
    const messages = dialogue.segments.map(([name, tokens], index) => ({
      role: index === 0 ? 'system' : 'user',
      content: textOf(name, tokens),
    }))
    for (const [index, turn] of dialogue.turns.entries()) {
      await sleep((1000 * Math.min(turn.think, LONGEST_PAUSE)) / speed)
      if (!(await turnOf(dialogue, messages, turn, index))) return
    }
  }
  const left = [...dialogues]
  const agent = async () => {
    for (let next = left.shift(); next; next = left.shift()) await talk(next)
  }
  await Promise.all(Array.from({ length: agents }, agent))
  return result
}

/** In seconds: a person's minute would only make the run longer. */
const LONGEST_PAUSE = 10

/** Each request has a connection of its own, so that all workers get some. */
function ask(url, key, chat) {
  const body = JSON.stringify({ model: 'svc-core', stream: true, stream_options: { include_usage: true }, ...chat })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sentAt = performance.now()
  return new Promise(resolve => {
    const fail = problem => resolve({ problem })
    const sent = request(`${url}/v1/chat/completions`, { method: 'POST', agent: false, headers }, response => {
      const answer = { text: '', prompt: 0, cached: 0, firstMs: undefined }
      let rest = ''
      response.setEncoding('utf8')
      response.on('data', piece => {
        const events = (rest + piece).split('\n\n')
        rest = events.pop()
        for (const event of events) take(event, answer, performance.now() - sentAt)
      })
      response.on('error', ({ message }) => fail(message))
      response.on('end', () =>
        response.statusCode === 200 && answer.prompt > 0
          ? resolve(answer)
          : fail(`status ${response.statusCode}: ${rest.slice(0, 300)}`),
      )
    })
    sent.on('error', ({ message }) => fail(message))
    sent.end(body)
  })
}

function take(event, answer, ms) {
  if (!event.startsWith('data: {')) return
  const { choices, usage } = JSON.parse(event.slice('data: '.length))
  const content = choices[0]?.delta.content
  if (content) {
    answer.firstMs ??= ms
    answer.text += content
  }
  if (!usage) return
  answer.prompt = usage.prompt_tokens
  answer.cached = usage.prompt_tokens_details?.cached_tokens ?? 0
}
