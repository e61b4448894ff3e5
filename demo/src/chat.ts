import { once } from 'node:events'
import type http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerPlan, isThinkingModel } from './answerer.ts'
import { type Call, jsonBody, refuse, refuseInvalid, refuseModel, send } from './call.ts'
import { chunks, completion } from './completion.ts'
import { isInvalid } from './json.ts'
import { parseRequest } from './request.ts'

/** POST /v1/chat/completions, whole or as a stream. */
export async function chat(call: Call): Promise<void> {
  const { options, newId, response } = call
  const body = await jsonBody(call)
  if (body === undefined) return
  const request = parseRequest(body)
  if (isInvalid(request)) return refuseInvalid(response, request)
  const { model } = request
  if (!options.models?.includes(model)) return refuseModel(response, model)

  const speaker = { replica: options.name, thinking: options.thinking ?? isThinkingModel(model) }
  const plan = answerPlan(request, speaker)
  const context = contextOf(model)
  const wanted = plan.usage.prompt + (Number.isFinite(request.maxTokens) ? request.maxTokens : 1)
  if (wanted > context) {
    const text = `the context of ${model} is ${context} tokens, and prompt and output together would be ${wanted}`
    return refuse(response, 400, 'context_length_exceeded', text, 'messages')
  }
  const envelope = { id: newId(), created: Math.floor(options.now() / 1000), model }
  if (!request.stream) return send(response, 200, completion(plan, envelope))
  return stream(response, chunks(plan, envelope, request.includeUsage), options.paceMs)
}

/** As the policies of this repository have it: real backends refuse what is longer, and holds count on that. */
const contextOf = (model: string): number => (/8B|small/.test(model) ? 32_000 : 128_000)

/** One event for each chunk at the given pace; stops when the client goes away. */
async function stream(response: http.ServerResponse, events: Iterable<object>, paceMs: number): Promise<void> {
  if (response.destroyed) return
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  try {
    for (const event of events) {
      const more = response.write(`data: ${JSON.stringify(event)}\n\n`)
      if (!more) await once(response, 'drain', { signal: gone.signal })
      await sleep(paceMs, undefined, { signal: gone.signal })
    }
    response.end('data: [DONE]\n\n')
  } catch (error) {
    if (!gone.signal.aborted) throw error
  }
}
