import type { ComponentChildren } from 'preact'

export const clients = 'Clients'
export const what = 'Snippet'
export const variable = (name: ComponentChildren) => (
  <>{name} stands for your key, whose value was shown when you created it. To see a new one, rotate the key.</>
)
export const show = 'Show the key here. Copied snippets always contain it.'
export const noChatModel = 'This key has no chat model, which agents need.'
export const tooSmall = (model: string, context: string, needed: string) =>
  `No model here is large enough for a coding agent, which needs ${needed} tokens of context. The largest, ${model}, has ${context}: short tasks work, longer ones end with "prompt is too long".`
