import { NOTICES } from '../admin/notice.ts'
import { closed, defaulted, flag, optional, orNull, record, text, whole, word } from '../schema/schema.ts'
import { call } from './call.ts'
import { name } from './fields.ts'

export const listNotices = call({
  method: 'GET',
  path: '/admin/notices',
  needs: 'viewer',
  summary: 'Lists notices, newest first, with the delivery of each to its targets.',
  query: {
    limit: defaulted(whole(undefined, { least: 1, most: 200 }), 50),
    before: optional(text('`next` of the previous page.', { most: 100 })),
    state: optional(word(['waiting', 'failed'], 'Only notices with such a delivery.')),
  },
  answer: NOTICES,
})

export const testTarget = call({
  method: 'POST',
  path: '/admin/notices/test',
  needs: 'admin',
  summary: 'Sends a test to a target at once, from the gateway that is called.',
  body: closed({ target: name('A target of the files.') }),
  answer: record({
    target: text(),
    delivered: flag(),
    error: orNull(text('Why the test did not arrive.')),
  }),
})

export const retryNotices = call({
  method: 'POST',
  path: '/admin/notices/retry',
  needs: 'admin',
  summary: 'Sends notices again that did not arrive: one of them, or all.',
  body: closed({
    id: optional(name('A notice. Default: all that wait or failed.')),
    target: optional(name('Only what goes to this target.')),
  }),
  answer: record({ retried: whole('How many notices wait for another attempt.') }),
  errors: ['NOT_FOUND'],
})
