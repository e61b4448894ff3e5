import { closed, fixed, moment, record, text } from '../schema/schema.ts'
import { call } from './call.ts'

export const issueCode = call({
  method: 'POST',
  path: '/admin/console/code',
  needs: 'viewer',
  summary: 'Creates a link that signs in to the console. It works once, within a minute.',
  body: closed({}),
  answer: record({ code: text(), expires_at: moment(), url: text('The link, with the code in its fragment.') }),
})

export const openSession = call({
  method: 'POST',
  path: '/admin/console/session',
  needs: 'anyone',
  summary: 'Exchanges the code of such a link for a token.',
  body: closed({ code: text(undefined, { least: 1, most: 200 }) }),
  answer: record({ token: text(), expires_at: moment() }),
  errors: ['MISDIRECTED'],
})

export const endSession = call({
  method: 'POST',
  path: '/admin/console/end',
  needs: 'viewer',
  summary: 'Ends the calling session.',
  body: closed({}),
  answer: record({ ended: fixed(true) }),
})
