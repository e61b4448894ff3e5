export const clients = 'Clients'
export const what = 'Snippet'
export const show = 'Show the key here. What you copy has it in any case.'
export const noChatModel = 'This key may use no chat model, so no agent can work with it.'
export const tooSmall = (model: string, context: string, needed: string) =>
  `No model here is large enough for a coding agent, which needs ${needed} tokens of context. The largest, ${model}, has ${context}: short tasks work, longer ones end with "prompt is too long".`
