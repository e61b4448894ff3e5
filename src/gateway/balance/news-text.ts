import type { BalanceNews, DomainMarks, Load, StayNews } from './news.ts'

/**
 * The form of this text and of marks. Raise it whenever the same prompt gets other marks than before
 * (`src/wire/prompt-sampler.ts`, `pool-marks.ts`): gateways of different forms then ignore each other's news.
 */
export const FORM = 2
/** Longer texts are not read. */
const MOST_CHARACTERS = 65_536
/** Replicas, domains of one replica, and names of more characters than these are of nobody that writes this text. */
const MOST_REPLICAS = 256
const MOST_DOMAINS = 4096
const LONGEST_NAME = 2048
const MOST_LOAD = 1e12
const LONGEST_STAY = 86_400_000

/** The news as gateways write it to each other. */
export const writeNews = (news: readonly BalanceNews[]): string =>
  JSON.stringify([
    FORM,
    ...news.map(({ pool, replica, caches, isEmptied, load, marks = [], stays = [] }) => [
      ...[pool, replica, caches, isEmptied ? 1 : 0],
      load ? [load.inFlight, load.heldTokens, load.owedTokens] : 0,
      marks.map(({ domain, halves }) => [domain, Buffer.from(Int32Array.from(halves).buffer).toString('base64')]),
      stays.map(({ key, time }) => [key, time]),
    ]),
  ])

/** Reads what another gateway wrote. Undefined where that is of another form, or nothing that this one understands. */
export function readNews(text: string): readonly BalanceNews[] | undefined {
  if (text.length > MOST_CHARACTERS) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(parsed) || parsed.length > MOST_REPLICAS + 1 || parsed[0] !== FORM) return undefined
  const news = parsed.slice(1).map(readOne)
  return news.every(each => each !== undefined) ? news : undefined
}

function readOne(one: unknown): BalanceNews | undefined {
  if (!Array.isArray(one)) return undefined
  const [pool, replica, caches, emptied, loaded, marked, stayed] = one as unknown[]
  const load = loaded === 0 ? undefined : readLoad(loaded)
  const marks = readMarks(marked)
  const stays = readStays(stayed)
  if (!isName(pool) || !isName(replica) || !isHalf(caches) || !marks || !stays || (loaded !== 0 && !load))
    return undefined
  return {
    ...{ pool, replica, caches },
    ...(emptied === 1 && { isEmptied: true }),
    ...(load && { load }),
    ...(marks.length > 0 && { marks }),
    ...(stays.length > 0 && { stays }),
  }
}

function readLoad(value: unknown): Load | undefined {
  if (!Array.isArray(value) || !value.every(isCount)) return undefined
  const [inFlight = 0, heldTokens = 0, owedTokens = 0] = value as number[]
  return { inFlight, heldTokens, owedTokens }
}

function readMarks(value: unknown): readonly DomainMarks[] | undefined {
  if (!Array.isArray(value) || value.length > MOST_DOMAINS) return undefined
  const marks: DomainMarks[] = []
  for (const each of value) {
    if (!Array.isArray(each)) return undefined
    const [domain, text] = each as unknown[]
    if (!isHalf(domain) || typeof text !== 'string') return undefined
    const bytes = Buffer.from(text, 'base64')
    const halves = Array.from({ length: Math.floor(bytes.length / 8) * 2 }, (_, at) => bytes.readInt32LE(at * 4))
    marks.push({ domain, halves })
  }
  return marks
}

function readStays(value: unknown): readonly StayNews[] | undefined {
  if (!Array.isArray(value) || value.length > MOST_DOMAINS) return undefined
  const stays = value.map(each =>
    Array.isArray(each) && each.every(isKey) ? { key: each[0], time: each[1] } : undefined,
  )
  return stays.every(stay => stay !== undefined && isTime(stay.time)) ? (stays as StayNews[]) : undefined
}

const isKey = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isTime = (value: unknown): boolean => isKey(value) && Number(value) <= LONGEST_STAY
const isName = (value: unknown): value is string => typeof value === 'string' && value.length <= LONGEST_NAME
const isHalf = (value: unknown): value is number => typeof value === 'number' && value === value >>> 0
const isCount = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < MOST_LOAD
