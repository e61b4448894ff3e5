import { expect, it } from 'vitest'
import { eventObjects } from '../../../src/wire/openai/event-objects.ts'
import { namedEvent, sseDone, sseEvent } from '../../../src/wire/sse.ts'

it('every object that our own writers put into an event is read from it, in order, and nothing else is', () => {
  const pretty = JSON.stringify({ text: 'two\n\nlines' }, null, 2)
  const events = [
    ': a comment\n\n',
    sseEvent('{"n":1}'),
    namedEvent('response.created', '{"n":2}'),
    sseEvent(pretty),
    namedEvent('pretty', pretty),
    sseEvent('[1]'),
    sseEvent('not JSON'),
    sseDone,
  ].join('')

  expect([...eventObjects(events)]).toEqual([{ n: 1 }, { n: 2 }, JSON.parse(pretty), JSON.parse(pretty)])
})
