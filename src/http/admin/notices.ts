import { again } from '../../gateway/store/notice.ts'
import { type NoticeStore, placeOfNotice } from '../../gateway/store/notice-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { Delivery, Notice } from '../../records/notice.ts'
import { shownNotice } from '../../wire/admin/notice.ts'
import type { AnswerOf } from '../../wire/admin-api/call.ts'
import type * as calls from '../../wire/admin-api/notices.ts'
import type { Asked } from './declared.ts'
import type { OperatorApp } from './operator-app.ts'

/** GET /admin/notices: newest first. */
export async function listNotices(
  { store }: Pick<OperatorApp, 'store'>,
  { query: { limit, before, state } }: Asked<typeof calls.listNotices>,
): Promise<AnswerOf<typeof calls.listNotices>> {
  const isWanted = (notice: Notice) => state === undefined || notice.deliveries.some(each => each.state === state)
  const { found, next } = await look(store.notices, { isWanted, limit, before })
  const waiting = await store.notices.countWaiting()
  return { object: 'list', data: found.map(shownNotice), next, waiting }
}

interface Look {
  readonly isWanted: (notice: Notice) => boolean
  readonly limit: number
  readonly before: string | undefined
}

/** Looks through some pages for notices that are wanted. */
async function look(
  notices: Pick<NoticeStore, 'readNewest'>,
  { isWanted, limit, before }: Look,
): Promise<{ readonly found: readonly Notice[]; readonly next: string | null }> {
  const found: Notice[] = []
  let from = before
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const page = await notices.readNewest(PAGE, from)
    for (const notice of page) {
      if (found.length === limit) return { found, next: from ?? null }
      from = placeOfNotice(notice)
      if (isWanted(notice)) found.push(notice)
    }
    if (page.length < PAGE) return { found, next: null }
  }
  return { found, next: from ?? null }
}

/** POST /admin/notices/test: at once, past all that waits. */
export async function testNoticeTarget(
  { settings, testTarget }: Pick<OperatorApp, 'settings' | 'testTarget'>,
  { body: { target }, by }: Asked<typeof calls.testTarget>,
): Promise<AnswerOf<typeof calls.testTarget> | Denied> {
  const known = [...settings.noticeTargets.keys()]
  if (!known.includes(target)) return invalid('target', unknown(target, known))
  try {
    await testTarget(target, by)
    return { target, delivered: true, error: null }
  } catch (error) {
    return { target, delivered: false, error: error instanceof Error ? error.message : String(error) }
  }
}

const unknown = (target: string, known: readonly string[]): string =>
  known.length === 0
    ? 'names a target, but `notice_targets` of the files declares none'
    : `names \`${target}\`, but the files declare ${known.join(', ')}`

/** POST /admin/notices/retry: the gateway that delivers tries them within seconds. */
export async function retryNotices(
  { store }: Pick<OperatorApp, 'store'>,
  { body: { id, target } }: Asked<typeof calls.retryNotices>,
): Promise<AnswerOf<typeof calls.retryNotices> | Denied> {
  const isMeant = (delivery: Delivery) =>
    delivery.state !== 'delivered' && (target === undefined || delivery.target === target)
  if (id === undefined) return { retried: await retryAll(store.notices, isMeant, target) }
  const notice = await store.notices.find(id)
  if (!notice) return { denial: { code: 'NOT_FOUND', problem: 'There is no notice with this id.', field: 'id' } }
  if (!notice.deliveries.some(isMeant)) return { retried: 0 }
  await store.notices.write([again(notice, target)], true)
  return { retried: 1 }
}

async function retryAll(
  notices: Pick<NoticeStore, 'readNewest' | 'write'>,
  isMeant: (delivery: Delivery) => boolean,
  target: string | undefined,
): Promise<number> {
  let retried = 0
  let from: string | undefined
  for (;;) {
    const page = await notices.readNewest(PAGE, from)
    const meant = page.filter(({ deliveries }) => deliveries.some(isMeant))
    if (meant.length > 0)
      await notices.write(
        meant.map(notice => again(notice, target)),
        true,
      )
    retried += meant.length
    const last = page.at(-1)
    if (!last || page.length < PAGE) return retried
    from = placeOfNotice(last)
  }
}

const PAGE = 200
/** Pages that are looked through for notices of a state. */
const MOST_LOOKS = 50
