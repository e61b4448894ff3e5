import type { ComponentChildren } from 'preact'
import { plural } from '../../shared/fmt.ts'

export const by = (split: ComponentChildren) => <>By {split}</>
export const saveAsCsv = 'Save as CSV'
export const usageBy = (split: string | number) => `Usage by ${split}`
export const requests = 'Requests'
export const input = 'Input'
export const cached = 'Cached'
export const saved = 'Saved by caches'
export const output = 'Output'
export const spend = 'Spend'
export const usage = 'Usage'
export const days = 'Days'
export const splitBy = 'Split by'
export const byPart = (each: ComponentChildren) => <>By {each}</>
export const whatAllAccountsUsed = 'Usage of all accounts, in whole days.'
export const whatAllAccountsUsedByHour = 'Usage of all accounts, in UTC hours. The current hour is incomplete.'
export const last48Hours = 'Last 48 hours'
export const last7Days = 'Last 7 days'
export const last30Days = 'Last 30 days'
export const last90Days = 'Last 90 days'
export const thisMonth = 'This month'
export const nothingWasUsed = 'No usage in this period'
export const servedRequestsAppear = 'Served requests and failed attempts appear here.'
export const hoursLeftOut = (hours: number) =>
  `${plural(hours, 'earlier hour')} left out: their ledger rows are gone, or too many for one report. Live has charts of a whole day.`
export const sums = 'Sums'
export const tokens = 'Tokens'
export const inOut = (input: string | number, output: string | number) => `${input} in, ${output} out`
export const failedAttempts = 'Failed attempts'
export const whatTheyCostYou = 'your cost, charged to no client'
export const byDay = 'By day'
export const byHour = 'By hour'
export const measure = 'Measure'
export const chartLabel = (title: string, chosen: string, split: string) =>
  `${title}: ${chosen} by ${split}; the table below has the sums`
export const failedAttemptsByPool = 'Failed attempts by pool'
export const whatFailedAttemptsCost = 'Cost of failed attempts over time and by pool; the table below has the sums'
export const others = (others: string | number) => `${others} others`
export const whatFailedAttemptsCostByPool = 'Cost of failed attempts by pool'
export const pool = 'Pool'
export const attempts = 'Attempts'
export const cost = 'Cost'
export const whatClientsWereCharged = 'charged to clients'
export const thatWereServed = 'served'
