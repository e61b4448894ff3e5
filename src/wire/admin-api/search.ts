import { FOUND } from '../admin/search.ts'
import { closed, defaulted, whole } from '../schema/schema.ts'
import { call } from './call.ts'
import { name } from './fields.ts'

export const search = call({
  method: 'POST',
  path: '/admin/search',
  needs: 'viewer',
  summary:
    'Finds accounts by id, label or e-mail address, keys by id, name, mask or value, requests by id, and models and pools by name. Looks at no more than 2,000 accounts.',
  body: closed({
    text: name('The text that an operator types; it is in no log.'),
    limit: defaulted(whole('The most of each kind.', { least: 1, most: 20 }), 5),
  }),
  answer: FOUND,
})
