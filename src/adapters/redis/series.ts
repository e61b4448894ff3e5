import {
  inMinutes,
  KEPT_MINUTES,
  type Minute,
  MOST_WRITERS,
  type SeriesRecord,
  type SeriesStore,
} from '../../gateway/store/series-store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Access } from './access.ts'
import { FLEET } from './layout.ts'

/** The minutes of all gateways, a hash for each hour, which Redis lets expire. */
export class RedisSeries implements SeriesStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  async write({ minute, gateway, counts }: SeriesRecord): Promise<void> {
    const key = this.#access.layout.series(hourOf(minute))
    await this.#access.script(FLEET, 'series', [key], [`${minute} ${gateway}`, counts, KEPT_MS, MOST_IN_HOUR])
  }

  async read(from: Minute): Promise<readonly SeriesRecord[]> {
    const { ask, layout } = this.#access
    const first = hourOf(from)
    const names = Array.from({ length: hourOf(KEPT_MINUTES) + 2 }, (_, index) => layout.series(first + index))
    const hours = await Promise.all(names.map(name => ask(name, client => client.hGetAll(name))))
    return inMinutes(hours.flatMap(hour => Object.entries(hour).map(recordOf)).filter(({ minute }) => minute >= from))
  }
}

function recordOf([field, counts]: [string, string]): SeriesRecord {
  const [minute = '', gateway = ''] = field.split(' ')
  return { minute: Number(minute), gateway, counts }
}

const hourOf = (minute: Minute): number => Math.floor(minute / 60)

/** The hash of an hour goes once no minute of it is asked for. */
const KEPT_MS: Millis = (KEPT_MINUTES + 60) * 60_000
const MOST_IN_HOUR = MOST_WRITERS * 60
