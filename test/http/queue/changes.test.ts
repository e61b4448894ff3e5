import { afterEach, describe, expect, it } from 'vitest'
import { Queued, until } from './fixture.ts'

let site: Queued
afterEach(() => site.close())

/** One request that runs, and others that wait. */
async function fill(
  waiting: number,
): Promise<{ readonly first: Promise<Response>; readonly others: Promise<Response>[] }> {
  const first = site.ask('first')
  await until(() => site.gate.open === 1)
  const others = Array.from({ length: waiting }, (_, n) => site.ask(`other_${n}`))
  await site.waits(waiting)
  return { first, others }
}

const statuses = async (answers: readonly Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)

const onprem = /^ {2}onprem: .*$/m

describe('a reload while requests wait', () => {
  it('that raises max_concurrent lets as many in at once', async () => {
    site = await Queued.start('max_concurrent: 1, queue: { max: 10, timeout: 1h }')
    const { first, others } = await fill(3)

    await site.test.reload({ fields: { onprem: 'max_concurrent: 3, queue: { max: 10, timeout: 1h }' } })
    await until(() => site.gate.open === 3)

    expect(site.load).toEqual([3, 1])
    let over = 0
    for (const each of [first, ...others]) void each.finally(() => over++)
    await site.gate.letAllUntil(() => over === 4)
    expect(await statuses([first, ...others])).toEqual([200, 200, 200, 200])
  })

  it.each([
    ['removes its queue', 'max_concurrent: 1, queue_timeout: 1h'],
    ['removes max_concurrent', ''],
    ['shortens its queue', 'max_concurrent: 1, queue: { max: 1, timeout: 1h }'],
  ])('that %s serves those that wait, and leaks no slot', async (_name, fields) => {
    site = await Queued.start('max_concurrent: 1, queue: { max: 10, timeout: 1h }')
    const { first, others } = await fill(3)

    await site.test.reload({ fields: { onprem: fields } })
    const later = site.ask('later')

    let over = 0
    for (const each of [first, ...others]) void each.finally(() => over++)
    await site.gate.letAllUntil(() => over === 4)
    expect(await statuses([first, ...others])).toEqual([200, 200, 200, 200])
    let isLaterOver = false
    const ends = later.finally(() => {
      isLaterOver = true
    })
    await site.gate.letAllUntil(() => isLaterOver)
    expect([200, 503]).toContain((await ends).status)
    await until(() => site.slots.taken === 0)
    expect(site.load).toEqual([0, 0])
  })

  it('that removes their pool serves those that wait there, and sends new ones to the pool in its place', async () => {
    site = await Queued.start('max_concurrent: 1, queue: { max: 10, timeout: 1h }')
    const { first, others } = await fill(2)

    await site.test.reload({}, yaml =>
      yaml.replaceAll('serve: [onprem]', 'serve: [other]').replace(onprem, line => line.replace('onprem:', 'other:')),
    )
    const { slots } = site.test.gateway.app.pools.of('onprem')
    expect(slots.waiting).toBe(2)
    const moved = site.ask('moved')
    await until(() => site.gate.open === 2)

    let over = 0
    const all = [first, ...others, moved]
    for (const each of all) void each.finally(() => over++)
    await site.gate.letAllUntil(() => over === 4)
    const answers = await Promise.all(all)
    expect(answers.map(({ headers }) => headers.get('x-svc-upstream'))).toEqual(['onprem', 'onprem', 'onprem', 'other'])
    await until(() => slots.taken === 0)
    expect(slots.waiting).toBe(0)
  })
})

describe('a shutdown while requests wait', () => {
  it('serves those that wait, before the process ends', async () => {
    site = await Queued.start('max_concurrent: 1, queue: { max: 10, timeout: 1h }')
    const { first, others } = await fill(2)

    const left = site.test.gateway.drain()
    let over = 0
    const all = [first, ...others]
    for (const each of all) void each.finally(() => over++)
    await site.gate.letAllUntil(() => over === 3)

    expect(await statuses(all)).toEqual([200, 200, 200])
    expect(await left).toBe(true)
  })

  it('tells those that still wait at its end, and charges them nothing', async () => {
    site = await Queued.start('max_concurrent: 1, queue: { max: 10, timeout: 1h }')
    const { first, others } = await fill(2)
    const left = site.test.gateway.drain()

    site.test.gateway.cut()

    const answers = await Promise.all([first, ...others])
    expect(answers.map(({ status, headers }) => `${status} ${headers.get('x-svc-error-code')}`)).toEqual(
      Array(3).fill('503 DRAINING'),
    )
    expect(await left).toBe(true)
    expect(site.load).toEqual([0, 0])
  })
})
