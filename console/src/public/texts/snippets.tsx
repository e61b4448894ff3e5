export const clients = 'Clients'
export const what = 'Snippet'
export const show = 'Show the key here. What you copy has it in any case.'
