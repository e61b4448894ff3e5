// The measured cases. Those with `load` measure the contenders in turns, round after round; the others run by themselves.
import { idleStreams } from './idle.js'
import { memoryAfter } from './memory.js'
import { redisPair } from './redis-pair.js'
import { severalProcesses } from './workers.js'

const CONNECTIONS = 64
/** 64 events, 10 ms apart. */
const STREAM_SECONDS = 0.64
const STREAMS = 128

export const cases = {
  'whole-1k': {
    title: 'Whole answers, body 1 KB',
    load: ({ seconds, warmup }) => ({ kind: 'whole-1k', connections: CONNECTIONS, seconds, warmup }),
  },
  'whole-32k': {
    title: 'Whole answers, body 32 KB',
    load: ({ seconds, warmup }) => ({ kind: 'whole-32k', connections: CONNECTIONS, seconds, warmup }),
  },
  'whole-1m': {
    title: 'Whole answers, body 1 MB',
    load: ({ seconds, warmup }) => ({ kind: 'whole-1m', connections: 8, seconds, warmup }),
  },
  'agent-chat': {
    title: 'Whole answers to a prompt of an agent, 32 KB, chat completions',
    load: ({ seconds, warmup }) => ({ kind: 'agent-chat', connections: CONNECTIONS, seconds, warmup }),
  },
  'agent-responses': {
    title: 'Whole answers to a prompt of an agent, 32 KB, Responses, translated',
    gatewaysOnly: true,
    load: ({ seconds, warmup }) => ({ kind: 'agent-responses', connections: CONNECTIONS, seconds, warmup }),
  },
  'agent-messages': {
    title: 'Whole answers to a prompt of an agent, 32 KB, Messages, translated',
    gatewaysOnly: true,
    load: ({ seconds, warmup }) => ({ kind: 'agent-messages', connections: CONNECTIONS, seconds, warmup }),
  },
  'tools-chat': {
    title: 'Whole answers to a prompt of an agent with 54 KB of tools, chat completions',
    load: ({ seconds, warmup }) => ({ kind: 'tools-chat', connections: CONNECTIONS, seconds, warmup }),
  },
  'tools-responses': {
    title: 'Whole answers to a prompt of an agent with 54 KB of tools, Responses, translated',
    gatewaysOnly: true,
    load: ({ seconds, warmup }) => ({ kind: 'tools-responses', connections: CONNECTIONS, seconds, warmup }),
  },
  'tools-messages': {
    title: 'Whole answers to a prompt of an agent with 54 KB of tools, Messages, translated',
    gatewaysOnly: true,
    load: ({ seconds, warmup }) => ({ kind: 'tools-messages', connections: CONNECTIONS, seconds, warmup }),
  },
  streams: {
    title: 'Streams of 64 events, back to back',
    load: ({ seconds, warmup }) => ({ kind: 'burst', connections: CONNECTIONS, seconds, warmup }),
  },
  'streams-10ms': {
    title: `Streams of 64 events, 10 ms apart, ${STREAMS} at once`,
    paced: true,
    load: ({ seconds }) => {
      const spread = STREAM_SECONDS
      return { kind: 'paced', connections: STREAMS, seconds, warmup: 2 * spread, spread }
    },
  },
  latency: {
    title: '300 requests a second, body 1 KB: added to what the backend takes',
    adds: 'latency',
    load: ({ seconds, warmup }) => ({ kind: 'whole-1k', connections: 32, seconds, warmup, rate: 300 }),
  },
  ttfb: {
    title: `Time to first byte, ${STREAMS} streams of 64 events 10 ms apart: added to what the backend takes`,
    adds: 'first',
    load: ({ seconds }) => {
      const warmup = 2 * STREAM_SECONDS
      return { kind: 'paced', connections: 2 * STREAMS, seconds, warmup, rate: STREAMS / STREAM_SECONDS }
    },
  },
  'redis-pair': { title: 'Two processes on one Redis, on both cores, body 1 KB', run: redisPair },
  workers: {
    title: 'Several processes, on one core unless a row says more, body 1 KB: CPU µs of a request',
    run: severalProcesses,
  },
  idle: { title: 'Open streams that say nothing', run: idleStreams },
  memory: { title: 'Memory after many requests', run: memoryAfter },
}

export const caseNames = Object.keys(cases)
