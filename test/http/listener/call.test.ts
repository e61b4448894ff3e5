import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type CallContext, HttpCall } from '../../../src/http/listener/call.ts'
import { VirtualClock } from '../../support/clock.ts'

/** A call whose body has come, on a connection that takes nothing. */
function newCall() {
  const socket = new Socket()
  const request = new IncomingMessage(socket)
  request.complete = true
  const response = new ServerResponse(request)
  const context: CallContext = {
    terms: { brand: 'svc', docsUrl: '' } as never,
    errorForm: 'spec',
    clock: new VirtualClock(0),
    addresses: {} as never,
    resources: {} as never,
    always: [],
    closing: new WeakSet(),
  }
  const call = new HttpCall(request, response, 'req_1', context)
  let heard = 0
  call.onGone(() => {
    heard++
  })
  return { call, response, heard: () => heard }
}

type Case = ReturnType<typeof newCall>

/** The visible state of the client. */
const seen = ({ call }: Case) => {
  let isClosed = false
  call.onClosed(() => {
    isClosed = true
  })
  const { gone, wasCut, wasLeft } = call
  return { isClosed, gone, wasCut, wasLeft }
}

const clientStates = {
  waiting: { isClosed: false, gone: false, wasCut: false, wasLeft: false },
  dropped: { isClosed: false, gone: false, wasCut: false, wasLeft: false },
  cut: { isClosed: false, gone: true, wasCut: true, wasLeft: false },
  served: { isClosed: true, gone: false, wasCut: false, wasLeft: false },
  left: { isClosed: true, gone: true, wasCut: false, wasLeft: true },
  broken: { isClosed: true, gone: true, wasCut: false, wasLeft: false },
  shut: { isClosed: true, gone: true, wasCut: true, wasLeft: false },
}

const clientEvents = {
  interrupt: ({ call }: Case) => call.interrupt(),
  destroy: ({ call, response }: Case) => {
    // The connection closes later, which is an event of its own.
    response.destroy = () => response
    call.destroy()
  },
  lose: ({ call }: Case) => call.close(),
  serve: ({ call, response }: Case) => {
    Object.defineProperty(response, 'writableFinished', { value: true })
    call.close()
  },
}

type ClientEvent = keyof typeof clientEvents
const everyClientEvent = Object.keys(clientEvents) as ClientEvent[]

/** Events that lead to a state, and where each further one leads: a star where those hear of it who asked to. */
const clientTable: [state: string, path: ClientEvent[], next: Record<ClientEvent, string>][] = [
  ['waiting', [], { interrupt: 'cut', destroy: 'dropped', lose: 'left *', serve: 'served' }],
  ['dropped', ['destroy'], { interrupt: 'cut', destroy: 'dropped', lose: 'broken *', serve: 'served' }],
  ['cut', ['interrupt'], { interrupt: 'cut *', destroy: 'cut', lose: 'shut *', serve: 'shut' }],
  ['served', ['serve'], { interrupt: 'served', destroy: 'served', lose: 'served', serve: 'served' }],
  ['left', ['lose'], { interrupt: 'left', destroy: 'left', lose: 'left', serve: 'left' }],
  ['broken', ['destroy', 'lose'], { interrupt: 'broken', destroy: 'broken', lose: 'broken', serve: 'broken' }],
  ['shut', ['interrupt', 'lose'], { interrupt: 'shut', destroy: 'shut', lose: 'shut', serve: 'shut' }],
]

describe.each(clientTable)('a client that is %s', (_state, path, next) => {
  it.each(everyClientEvent)('is changed by `%s` as the table says, and by nothing else', event => {
    const one = newCall()
    for (const before of path) clientEvents[before](one)
    const heardBefore = one.heard()

    clientEvents[event](one)

    const [state = '', star] = next[event].split(' ')
    expect(seen(one)).toEqual(clientStates[state as keyof typeof clientStates])
    expect(one.heard() - heardBefore).toBe(star ? 1 : 0)
  })
})

it('a client that is interrupted hears of it at once only where something was passed on to it', () => {
  const [silent, streaming] = [newCall(), newCall()]
  silent.call.writeHead(200, EVENTS)
  streaming.call.writeHead(200, EVENTS)
  streaming.call.passes()

  for (const { call } of [silent, streaming]) call.interrupt()

  expect([silent.heard(), streaming.heard()]).toEqual([0, 1])
})

it('those who watch a client that is interrupted see that it was the gateway', () => {
  const { call } = newCall()
  let wasCut = false
  call.writeHead(200)
  call.passes()
  call.onGone(() => {
    wasCut = call.wasCut
  })

  call.interrupt()

  expect(wasCut).toBe(true)
})

const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8' }

const answerEvents = {
  head: ({ call }: Case) => call.writeHead(200, { 'content-type': 'application/json' }),
  events: ({ call }: Case) => call.writeHead(200, EVENTS),
  pass: ({ call }: Case) => call.passes(),
  /** The answer to a request whose body has not come: its connection stays open for a moment. */
  finish: ({ call, response }: Case) => {
    call.request.complete = false
    call.request.headers['content-length'] = '9'
    response.write = ((_bytes: unknown, done: () => void) => done()) as never
    // The head is an event of its own.
    call.writeHead = () => {}
    try {
      call.send(200, 'application/json', Buffer.from('{}'))
    } finally {
      Reflect.deleteProperty(call, 'writeHead')
    }
  },
  switch: ({ call }: Case) => call.switches({}),
}

type AnswerEvent = keyof typeof answerEvents
const everyAnswerEvent = Object.keys(answerEvents) as AnswerEvent[]

/** Events that lead to a state, and those that may follow; any other one is an error of ours. */
const answerTable: [state: string, path: AnswerEvent[], next: AnswerEvent[]][] = [
  ['none', [], ['head', 'events', 'switch']],
  ['headed', ['head'], ['pass', 'finish']],
  ['opened', ['events'], ['pass']],
  ['passing', ['head', 'pass'], ['pass']],
  ['streaming', ['events', 'pass'], ['pass']],
  ['written', ['head', 'finish'], []],
  ['switched', ['switch'], []],
]

describe.each(answerTable)('an answer that is %s', (state, path, next) => {
  const arrive = () => {
    const one = newCall()
    for (const before of path) answerEvents[before](one)
    return one
  }

  it.each(everyAnswerEvent)('takes `%s` where the table says so, and else throws', event => {
    const one = arrive()
    const apply = () => answerEvents[event](one)

    if (next.includes(event)) expect(apply).not.toThrow()
    else expect(apply).toThrow(`an answer that is ${state} cannot ${event}`)
  })

  it('is a stream that can still be told something only if it began as events', () => {
    expect(arrive().call.streaming).toBe(path.includes('events'))
  })

  it('closes as served, rather than left, only once all of it is written, or there is a WebSocket in its place', () => {
    const { call } = arrive()

    call.close()

    expect(call.gone).toBe(state !== 'written' && state !== 'switched')
  })
})
