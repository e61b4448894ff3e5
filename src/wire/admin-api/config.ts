import { MATRIX } from '../admin/matrix.ts'
import { APPLICATION, KEPT_CONFIG, PLAN_COUNTS, RELOAD, REVISIONS, SERVED_CONFIG } from '../admin/revision.ts'
import { REVISION_DIFF } from '../admin/revision-diff.ts'
import { WHO_AM_I } from '../admin/state.ts'
import { closed, forms, list, map, object, optional, text, whole, word } from '../schema/schema.ts'
import { call } from './call.ts'
import { name } from './fields.ts'

/**
 * The most bytes of all texts together, in UTF-8: the thread that serves links them. Larger ones are changed on the
 * disk of the gateway.
 */
export const MOST_FILE_BYTES = 256_000

const NUMBER = whole('The number of a kept revision.', {
  least: 1,
  most: 999_999_999,
  rule: 'must be the number of a revision',
})

export const showConfig = call({
  method: 'GET',
  path: '/admin/config',
  needs: 'viewer',
  summary: 'Shows the configuration in use, with the texts of its files. They contain no secrets.',
  answer: SERVED_CONFIG,
})

export const listRevisions = call({
  method: 'GET',
  path: '/admin/revisions',
  needs: 'viewer',
  summary: 'Lists the kept revisions, newest first; or shows one of them with its files.',
  query: { number: optional(NUMBER) },
  answer: forms(REVISIONS, KEPT_CONFIG),
  errors: ['NOT_FOUND'],
})

export const diffRevisions = call({
  method: 'GET',
  path: '/admin/revisions/diff',
  needs: 'viewer',
  summary: 'Shows the changes in meaning from one kept revision to another, and the differing texts.',
  query: { from: NUMBER, to: NUMBER },
  answer: REVISION_DIFF,
  errors: ['NOT_FOUND', 'REVISION_INVALID'],
})

export const listPlans = call({
  method: 'GET',
  path: '/admin/plans',
  needs: 'viewer',
  summary: 'Counts the accounts on each plan.',
  answer: PLAN_COUNTS,
})

export const showMatrix = call({
  method: 'GET',
  path: '/admin/matrix',
  needs: 'viewer',
  summary: 'Shows which models and hosted tools each plan has, and its limits.',
  answer: MATRIX,
})

export const showWhoAmI = call({
  method: 'GET',
  path: '/admin/whoami',
  needs: 'viewer',
  summary: 'Shows the calling operator and the answering gateway.',
  answer: WHO_AM_I,
})

export const reloadConfig = call({
  method: 'POST',
  path: '/admin/reload',
  needs: 'admin',
  summary: "Reloads the gateway's files as they are now, all of them or none.",
  body: closed({}),
  answer: RELOAD,
  errors: ['RELOAD_REFUSED'],
})

export const applyConfig = call({
  method: 'POST',
  path: '/admin/apply',
  needs: 'admin',
  summary:
    'Replaces the files and the configuration in use by a candidate, whole or not at all; with `fleet`, on all gateways of the fleet or on none.',
  // JSON writes line breaks and quotes with two bytes, and a few characters with six.
  mostBytes: 1_600_000,
  body: closed({
    previous: text('The revision that the candidate was compared with. The call fails if another one is in use.'),
    files: list(
      closed({ file: text('Relative to the directory of the main file.'), text: text() }),
      `The main file first; together at most ${MOST_FILE_BYTES} bytes.`,
      { least: 1, most: 50 },
    ),
    move_plans: optional(map(name(), 'Target plans by the plans that accounts are on.', { most: 1000, names: name() })),
    how: optional(word(['apply', 'rollback'])),
    fleet: optional(
      list(
        closed({ gateway: name(), revision: name('The revision in use.') }),
        'The gateways of the fleet as the operator saw them.',
        { least: 1, most: 1000 },
      ),
    ),
  }),
  answer: APPLICATION,
  errors: ['APPLY_REFUSED', 'REVISION_CHANGED'],
})

/** The document that these calls make. */
export const showDocument = call({
  method: 'GET',
  path: '/admin/openapi.json',
  needs: 'viewer',
  summary: 'This document.',
  answer: object(),
})
