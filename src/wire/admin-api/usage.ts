import { MONTH_FORMS } from '../../policy/billing/month.ts'
import { ARCHIVE_STATE } from '../admin/archive-state.ts'
import { AUDIT_PAGE, AUDIT_ROW } from '../admin/audit.ts'
import { LEDGER_RECORD } from '../admin/ledger-record.ts'
import { POOL_SERIES, SERIES } from '../admin/series.ts'
import { GROUP_NAME, GROUPS, USAGE_REPORT } from '../admin/usage-report.ts'
import { INVOICE } from '../invoice/shown-invoice.ts'
import { INVOICES, MONTH_INVOICES } from '../invoice/shown-invoices.ts'
import { defaulted, forms, list, optional, text, whole, word } from '../schema/schema.ts'
import { call } from './call.ts'
import { ACCOUNT_NAME, PERIOD, ROWS } from './fields.ts'

/** The minutes that series are about, and those of each point. */
const SPAN = {
  minutes: defaulted(whole(undefined, { least: 1, most: 1440 }), 60),
  step: defaulted(
    whole('Minutes per point.', { least: 1, most: 60, rule: 'must be a number of minutes from 1 to 60' }),
    1,
  ),
}

export const showUsage = call({
  method: 'GET',
  path: '/admin/usage',
  needs: 'viewer',
  summary:
    'Sums usage over whole days of the zone or UTC hours, with the cost of failed attempts, for one account or key, or for all.',
  query: {
    ...PERIOD,
    by: defaulted(
      list(
        text(undefined, { pattern: GROUP_NAME, rule: `must be a label, or one of ${GROUPS.join(', ')}` }),
        `The fields to group by: ${GROUPS.join(', ')}, or labels. Sessions and labels are summed from rows, as hours are.`,
        { isUnique: true },
      ),
      ['day'],
    ),
    split: optional(word(GROUPS, 'A second grouping, in its own field.')),
    top: optional(
      whole('How many entries of the last group to list by cost; the others are summed.', { least: 1, most: 10_000 }),
    ),
    waste: optional(word(['day', 'hour'], 'Splits failed attempts by day or hour; `hour` needs `by=hour`.')),
    account: ROWS.account,
    key: ROWS.key,
  },
  answer: USAGE_REPORT,
})

export const exportLedger = call({
  method: 'GET',
  path: '/admin/ledger',
  needs: 'viewer',
  summary: 'Exports rows of the ledger in the order of their admission, one JSON line each.',
  query: {
    ...ROWS,
    format: defaulted(word(['ndjson', 'focus'], '`focus` is CSV with the columns of FOCUS 1.2.'), 'ndjson'),
  },
  lines: LEDGER_RECORD,
  others: ['text/csv'],
})

export const showSeries = call({
  method: 'GET',
  path: '/admin/series',
  needs: 'viewer',
  summary:
    'Shows requests by outcome, latencies, tokens and spend of all gateways over time. This gateway is up to date; others lag by at most 10 s.',
  query: {
    ...SPAN,
    model: optional(text('Only this model; excludes `pool`.')),
    pool: optional(text('Only this pool, whose attempts are counted.')),
  },
  answer: SERIES,
})

export const showPoolSeries = call({
  method: 'GET',
  path: '/admin/series/pools',
  needs: 'viewer',
  summary: 'Shows attempts at each pool over time, of all gateways.',
  query: SPAN,
  answer: POOL_SERIES,
})

export const showInvoice = call({
  method: 'GET',
  path: '/admin/invoice',
  needs: 'viewer',
  summary: "Shows an account's invoice for a month.",
  query: {
    account: ACCOUNT_NAME,
    month: text('Such as `2026-10`, `this` or `last`.', { rule: `must be ${MONTH_FORMS}` }),
    format: defaulted(word(['json', 'csv', 'html'], '`html` is a page to print.'), 'json'),
  },
  answer: INVOICE,
  others: ['text/csv', 'text/html'],
})

export const listInvoices = call({
  method: 'GET',
  path: '/admin/invoices',
  needs: 'viewer',
  summary: 'Lists the months in which an account has usage; or, with `month`, the invoices of all accounts.',
  query: {
    account: optional(ACCOUNT_NAME),
    month: optional(text('Such as `2026-10`, `this` or `last`, instead of an account.')),
    format: optional(
      word(
        ['json', 'ndjson', 'csv', 'lines'],
        'With a month: a page as JSON (default), or all invoices as JSON lines, as CSV, or as CSV with a row per invoice line.',
      ),
    ),
    limit: optional(whole('The most entries on a page. Default: 50.', { least: 1, most: 200 })),
    cursor: optional(text('`next` of the previous page.')),
  },
  answer: forms(INVOICES, MONTH_INVOICES),
  lines: INVOICE,
  others: ['text/csv'],
})

export const showArchive = call({
  method: 'GET',
  path: '/admin/archive',
  needs: 'viewer',
  summary: 'Shows the progress of the archive.',
  answer: ARCHIVE_STATE,
})

export const showAudit = call({
  method: 'GET',
  path: '/admin/audit',
  needs: 'viewer',
  summary: 'Exports audited changes as JSON lines, oldest first; with `order=desc`, returns a page of the newest.',
  query: {
    since: PERIOD.since,
    account: optional(ACCOUNT_NAME),
    order: optional(word(['desc'], 'Newest first, in pages.')),
    limit: optional(whole('The most entries on a page. Default: 200.', { least: 1, most: 1000 })),
    before: optional(text('`next` of the previous page.')),
    action: optional(text('Only this action; only with pages.')),
    by: optional(text('Only changes by this operator; only with pages.')),
  },
  answer: AUDIT_PAGE,
  lines: AUDIT_ROW,
})

export const sendBackup = call({
  method: 'GET',
  path: '/admin/backup',
  needs: 'admin',
  summary: 'Streams a signed, consistent copy of the store, with the files in use.',
  query: {},
  others: ['application/gzip'],
})
