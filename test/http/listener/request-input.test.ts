import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { paced } from '../../../src/gateway/received.ts'

const PIECE_BYTES = 65_536
/** Pieces of 64 KB each, as many as one turn of the event loop reads. */
const PIECES = 30

const endOfTurn = () => new Promise(resolve => setImmediate(resolve))

it('what one turn of the event loop receives is bounded, and the connections beyond go on by turns', async () => {
  await endOfTurn()
  const requests = Array.from({ length: PIECES + 20 }, () => new Readable({ read: () => {} }))
  const paused = () => requests.filter(request => request.isPaused())

  for (const request of requests) paced(request, PIECE_BYTES)
  expect(paused()).toEqual(requests.slice(PIECES))

  await endOfTurn()
  expect(paused()).toEqual(requests.slice(-4))
  await endOfTurn()
  expect(paused()).toEqual([])
})

it('one body of a megabyte comes without a pause', () => {
  const request = new Readable({ read: () => {} })
  for (let bytes = 0; bytes < 1_000_000; bytes += PIECE_BYTES) paced(request, PIECE_BYTES)

  expect(request.isPaused()).toBe(false)
})
