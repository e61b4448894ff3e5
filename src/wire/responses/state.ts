import { type Denied, invalid } from '../../policy/denial.ts'
import { type Findings, isAbsent, quoted } from '../findings.ts'
import type { JsonObject } from '../json-safety.ts'

/** Refuses what a request would take up again from an earlier one: nothing is stored here. */
export function refuseState(body: JsonObject, found: Findings): void {
  const { conversation, background } = body
  const previous = found.text('previous_response_id', body.previous_response_id)
  if (previous !== undefined) found.refuseAs(previousResponseNotFound(previous))
  if (!isAbsent(conversation)) found.refuse('conversation', NO_CONVERSATION, 'unsupported_parameter')
  if (!isAbsent(background) && background !== false) found.refuse('background', NO_BACKGROUND, 'unsupported_parameter')
}

const NO_CONVERSATION = 'Conversations are not kept here: send the whole input in each request, with store: false.'
const NO_BACKGROUND = 'Background responses are not supported here: leave background out, and stream the answer.'

/** Clients send the whole input then, by this code. */
const previousResponseNotFound = (id: string): Denied =>
  invalid(
    'previous_response_id',
    `Previous response with id ${quoted(id)} not found: nothing is stored here. Send the whole input again, with store: false.`,
    'previous_response_not_found',
  )

/** Refuses an item that represents one of an earlier answer. */
export const itemNotFound = (field: string, id: string): Denied => ({
  denial: {
    code: 'NOT_FOUND',
    field,
    problem: `Item with id ${quoted(id)} not found: items are not persisted here. Send them whole: with the AI SDK, providerOptions: { openai: { store: false } }.`,
    reason: 'item_not_found',
  },
})

/** Refuses a response that is not kept, or not any more, where responses are kept. */
export const keptResponseNotFound = (id: string): Denied =>
  invalid(
    'previous_response_id',
    `Previous response with id ${quoted(id)} not found. It may have expired: send the whole input again.`,
    'previous_response_not_found',
  )

export const keptItemNotFound = (field: string, id: string): Denied => ({
  denial: {
    code: 'NOT_FOUND',
    field,
    problem: `Item with id ${quoted(id)} not found. It may have expired, or been sent with store: false: send it whole.`,
    reason: 'item_not_found',
  },
})

/** Refuses a request that reads, cancels, deletes or shortens an earlier response. */
export const responseNotFound = (id: string): Denied => ({
  denial: { code: 'NOT_FOUND', problem: `Response with id ${quoted(id)} not found: nothing is stored here.` },
})

export const keptNotFound = (id: string): Denied => ({
  denial: { code: 'NOT_FOUND', problem: `Response with id ${quoted(id)} not found. It may have expired.` },
})
