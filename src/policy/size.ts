import type { EmbeddingModel, ImageModel, Model, Plan } from './config.ts'
import { placeOf } from './config.ts'
import type { EmbeddingAsk, ImageAsk, InferenceRequest } from './facts.ts'
import { NO_PRICE } from './price.ts'
import { type Ruling, refused } from './ruling.ts'
import { sizeChat } from './size-chat.ts'
import { overMinute, SILENT, type Sized } from './sized.ts'

/** Whether the request fits the model and the plan's minute at all, and how much it may take. */
export function size(plan: Plan, model: Model, request: InferenceRequest): Ruling<Sized> {
  if (model.kind === 'chat' && request.kind === 'chat') return sizeChat(plan, model, request)
  if (model.kind === 'embedding' && request.kind === 'embedding') return sizeEmbedding(plan, model, request)
  if (model.kind === 'image' && request.kind === 'image') return sizeImage(plan, model, request)
  throw new Error(`${model.name} was chosen for a request of kind ${request.kind}`)
}

function sizeEmbedding(plan: Plan, model: EmbeddingModel, request: EmbeddingAsk): Ruling<Sized> {
  const { inputs, dimensions, textBytes } = request
  if (dimensions !== undefined && dimensions !== model.dimensions) {
    const text = `${model.name} has ${model.dimensions} dimensions and no other number`
    return refused('body', 'dimensions', text, placeOf(model, 'dimensions'))
  }
  const input = Math.min(textBytes + SPECIAL_TOKENS * inputs, model.context * inputs)
  if (input > plan.tpm) return overMinute(plan, 'input', input)
  const text = `${inputs === 1 ? '1 input' : `${inputs} inputs`}, at most ${input} tokens`
  return {
    step: { stage: 'body', outcome: 'pass', text, at: model.at },
    value: { input, output: SILENT, price: model.price, items: 0 },
  }
}

/** What an embedding model adds to each input, such as a beginning and an end. */
const SPECIAL_TOKENS = 4

function sizeImage(plan: Plan, model: ImageModel, { images, size: asked, textBytes }: ImageAsk): Ruling<Sized> {
  const [first] = model.sizes.keys()
  const chosen = asked ?? first ?? ''
  const item = model.sizes.get(chosen)
  if (item === undefined) {
    const text = `${model.name} makes ${[...model.sizes.keys()].join(', ')}, not ${chosen}`
    return refused('body', 'size', text, model.at)
  }
  if (textBytes > plan.tpm) return overMinute(plan, 'prompt', textBytes)
  return {
    step: {
      stage: 'body',
      outcome: 'pass',
      text: `${images === 1 ? '1 image' : `${images} images`} of ${chosen}`,
      at: placeOf(model, 'usd_per_image'),
    },
    value: { input: textBytes, output: SILENT, price: { ...NO_PRICE, item }, items: images, imageSize: chosen },
  }
}
