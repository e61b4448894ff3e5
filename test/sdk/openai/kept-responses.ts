import { expect, it } from 'vitest'
import { answer, stream } from '../../support/backend.ts'
import type { Rig } from '../support/rig.ts'
import type { Sdk } from './sdk.ts'

/** Responses that the gateway keeps, as one major of the SDK uses them. */
export function keptResponseScenarios({ client, OpenAI }: Sdk, rig: Rig): void {
  const model = 'svc-core'
  const said = () => (rig.sent.messages as { content: string }[]).map(({ content }) => content)

  it('go on from one another, whole and streamed', async () => {
    const { responses } = client()
    rig.backend.next(answer({ content: 'two' }))
    const first = await responses.create({ model, input: 'one' })
    rig.backend.next(stream({ chunks: ['fo', 'ur'] }))
    const streamed = responses.stream({ model, input: 'three', previous_response_id: first.id })
    const second = await streamed.finalResponse()
    rig.backend.next(answer({ content: 'six' }))
    const third = await responses.create({ model, input: 'five', previous_response_id: second.id })

    expect(said()).toEqual(['one', 'two', 'three', 'four', 'five'])
    expect(third).toMatchObject({ output_text: 'six', previous_response_id: second.id, store: true })
  })

  it('are retrieved, listed and deleted', async () => {
    const { responses } = client()
    const input = ['a', 'b', 'c'].map(content => ({ role: 'user' as const, content }))
    const created = await responses.create({ model, input })

    expect(await responses.retrieve(created.id)).toMatchObject({ id: created.id, output: created.output })
    const items = []
    for await (const item of responses.inputItems.list(created.id, { limit: 2, order: 'asc' })) items.push(item)
    expect(items).toMatchObject(input.map(({ content }) => ({ type: 'message', content: [{ text: content }] })))
    await expect(responses.cancel(created.id)).rejects.toBeInstanceOf(OpenAI.BadRequestError)
    await deleteOf(responses)(created.id)
    await expect(responses.retrieve(created.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    await expect(responses.create({ model, input: 'd', previous_response_id: created.id })).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    })
  })
}

type Responses = ReturnType<Sdk['client']>['responses']

/** 4 calls it `del`. */
function deleteOf(responses: Responses): (id: string) => Promise<unknown> {
  const older = responses as unknown as { readonly del?: (id: string) => Promise<unknown> }
  return id => ('delete' in responses ? responses.delete(id) : (older.del?.call(responses, id) ?? Promise.reject()))
}
