import type { RecentRequests } from '../../gateway/recent-requests.ts'
import { atEndOfTurn } from '../../gateway/turn.ts'
import type { Feed } from '../../http/feed.ts'
import { type Log, type LogEntry, modelOf } from '../../http/log-entry.ts'
import type { Config } from '../../policy/config.ts'
import type { Base } from './base.ts'

interface ReportsPorts {
  readonly log: Log
  readonly recent: RecentRequests
  readonly feed: Pick<Feed, 'tell'>
}

/** Passes on the requests that are over, together where several end in one turn. */
export function reportsOf({ metrics }: Base, { log, recent, feed }: ReportsPorts): Log {
  const report = atEndOfTurn<readonly [LogEntry, Config]>(all => {
    for (const [entry, config] of all) log(entry, config)
    for (const [entry, config] of all) metrics.request(entry, modelOf(entry, config))
    for (const [entry] of all) recent.add(entry)
    for (const [entry, config] of all) feed.tell(entry, config)
  })
  return (entry, config) => report([entry, config])
}
