export const about =
  'A chat on your plan, with your limits and prices. It is charged to your account. Nothing is stored, here or on the server.'
export const ways = 'What to try'
export const chat = 'Chat'
export const images = 'Images'
export const turns = 'Chat'
export const hint = 'Ask something. The answer streams as it is generated.'
export const answered = 'The answer is here.'
export const message = 'Message'
export const placeholder = 'Message'
export const keys = 'Enter sends, Shift+Enter starts a new line, Esc stops an answer.'
export const send = 'Send'
export const stop = 'Stop'
export const clear = 'Clear the chat'
export const you = 'You'
export const answer = 'Answer'
export const thoughts = 'Thoughts'
export const stopped = 'Stopped. The part generated so far is charged.'
export const settings = 'Settings'
export const byDefault = 'Default (gateway chooses)'
export const notInPlan = (id: string) => `${id} (not in your plan)`
export const system = 'System prompt'
export const maxTokens = 'Max output tokens'
export const temperature = 'Temperature'
export const thinks = 'Think before the answer'
export const tools = 'Hosted tools'
export const route = (name: string) => `by route ${name}`
export const first = (ms: string) => `first text ${ms} ms`
export const tokens = (input: string, output: string) => `${input} in, ${output} out`
export const total = (ms: string) => `complete in ${ms} ms`
export const prompt = 'Describe the picture'
export const size = 'Size'
export const make = 'Make it'
export const making = 'Drawing…'
