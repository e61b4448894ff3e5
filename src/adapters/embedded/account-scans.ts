import { setImmediate } from 'node:timers/promises'
import type { ScanPlace } from '../../gateway/store/account-store.ts'
import { pagesOf } from './lmdb.ts'
import { accountOf, type Records, readAccount } from './records.ts'
import type { Account } from './stored-records.ts'

type Found = readonly [id: string, account: Account]

/** All accounts in the order of their ids, behind a place, in pages between which requests get their turn. */
export async function* scanById(
  { accounts }: Records,
  after: ScanPlace | undefined,
): AsyncGenerator<readonly Found[], void, undefined> {
  const from = after ? { start: after.account, exclusiveStart: true } : {}
  for await (const page of pagesOf(accounts, from)) yield page.map(({ key, value }) => [key, accountOf(value)] as const)
}

/** All accounts but devices in the order of their labels, and those of one label by id: merged of the two indexes of labels. */
export async function* scanByLabel(
  records: Records,
  after: ScanPlace | undefined,
): AsyncGenerator<readonly Found[], void, undefined> {
  let place = after && { label: String(after.rank), account: after.account }
  for (;;) {
    const page = placesAfter(records, place)
    const last = page.at(-1)
    if (!last) return
    yield page.flatMap(({ account }): Found[] => {
      const found = readAccount(records, account)
      return found ? [[account, found]] : []
    })
    place = last
    await setImmediate()
  }
}

/** An account's position among the labels. */
interface LabelPlace {
  readonly label: string
  readonly account: string
}

/** Accounts that are read at once. */
const PAGE = 256

/** The next of both indexes: each gives as many as the page has, so that none is left out between them. */
function placesAfter({ labels, signInLabels }: Records, after: LabelPlace | undefined): readonly LabelPlace[] {
  const opened = labels.getRange({ ...(after && { start: after.label }), limit: PAGE + 1 })
  const signedIn = signInLabels.getKeys({
    ...(after && { start: [after.label, after.account], exclusiveStart: true }),
    limit: PAGE,
  })
  const places = [
    ...Array.from(opened, ({ key, value }) => ({ label: key, account: value })),
    ...Array.from(signedIn, ([label, account]) => ({ label, account })),
  ]
  return places
    .filter(place => !after || byPlace(place, after) > 0)
    .sort(byPlace)
    .slice(0, PAGE)
}

function byPlace(a: LabelPlace, b: LabelPlace): number {
  if (a.label === b.label) return a.account < b.account ? -1 : a.account === b.account ? 0 : 1
  // The files are in the order of UTF-8, which is that of UTF-16 but for these characters.
  if (HIGH.test(a.label) && HIGH.test(b.label)) return Buffer.compare(Buffer.from(a.label), Buffer.from(b.label))
  return a.label < b.label ? -1 : 1
}

const HIGH = /[\ud800-\uffff]/
