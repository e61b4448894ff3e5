import type { ImageModel } from '../../policy/config.ts'
import { readImages } from '../../wire/openai/images.ts'
import type { Outcome } from './chat.ts'
import { problem } from './finding.ts'
import { refusalOf } from './refusal.ts'
import type { ExaminedReplica } from './replica.ts'

/** As long as it takes: a picture is no ordinary answer. */
const OUTPUT = 1000

/** Asks for one picture of the smallest size, which costs what it costs. */
export async function askPicture(
  replica: ExaminedReplica,
  model: ImageModel,
  keyFrom: string | undefined,
): Promise<Outcome> {
  const { pool, host } = replica
  const request = readImages(Buffer.from(JSON.stringify({ model: pool.model, prompt: 'a dot' })))
  if ('denial' in request) throw new Error(`the doctor's own question is refused: ${JSON.stringify(request.denial)}`)
  const size = cheapest(model)
  const answer = await replica.post('image', request.bodyFor(pool.model, 0, { imageSize: size }), { output: OUTPUT })
  const refusal = refusalOf(replica, 'an image', answer, keyFrom)
  if (refusal) return { faults: [refusal], notes: [] }
  const terms = { model, backendModel: pool.model, inputTokens: 0, id: '', created: 0 }
  if (request.readAnswer(answer.body, terms)) return { faults: [], notes: [`made an image of ${size}`] }
  const text = `${host} answers with something other than a PNG in b64_json`
  return { faults: [problem(text, 'Is that the address of an OpenAI-compatible API?')], notes: [] }
}

function cheapest({ sizes }: ImageModel): string {
  const [first = ''] = [...sizes].sort(([, a], [, b]) => a - b).map(([size]) => size)
  return first
}
