// The lines of each drawing, on a grid of 16. A door is built with those alone that it shows.

export const search = 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9M10.3 10.3L14 14'

/** States: their outlines differ too, for people who tell no colours apart. */
export const check = 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M5 8.2l2.1 2.1L11.2 6'
export const warning = 'M8 2L14.5 13.5h-13zM8 6.5v3.2M8 11.4v.2'
export const failure = 'M5.3 1.7h5.4l3.6 3.6v5.4l-3.6 3.6H5.3l-3.6-3.6V5.3zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4'
export const idle = 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13'

/** Pages. */
export const overview = 'M2.5 2.5H7V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z'
export const key = 'M13.8 5.2a3 3 0 1 1-6 0a3 3 0 0 1 6 0M8.6 7.4l-6.1 6.1M4.7 11.3l1.9 1.9'
export const list = 'M2.5 4h11M2.5 8h11M2.5 12h7'
export const cube = 'M8 1.8l5.5 3.1v6.2L8 14.2l-5.5-3.1V4.9zM2.5 4.9L8 8l5.5-3.1M8 8v6.2'
export const chat = 'M2.5 3h11v8H7.2l-2.9 2.5V11H2.5z'
export const card = 'M1.8 3.5h12.4v9H1.8zM1.8 6.6h12.4M4.3 9.8h3'
export const pulse = 'M1.5 8h3l2-5 3 10 2-5h3'
export const server = 'M2.5 2.8h11v4h-11zM2.5 9.2h11v4h-11zM5 4.8h.2M5 11.2h.2'
export const nodes =
  'M8 1.8a1.7 1.7 0 1 1 0 3.4a1.7 1.7 0 0 1 0-3.4M3.5 10.8a1.7 1.7 0 1 1 0 3.4a1.7 1.7 0 0 1 0-3.4M12.5 10.8a1.7 1.7 0 1 1 0 3.4a1.7 1.7 0 0 1 0-3.4M7.2 5l-2.9 5.9M8.8 5l2.9 5.9'
export const bars = 'M3 13.5V9M8 13.5v-11M13 13.5V6'
export const receipt = 'M3.5 1.8h9v12.4l-2.2-1.5L8 14.2l-2.3-1.5-2.2 1.5zM6 5.5h4M6 8.5h4'
export const person = 'M8 2.2a2.6 2.6 0 1 1 0 5.2a2.6 2.6 0 0 1 0-5.2M2.8 13.8a5.2 4.4 0 0 1 10.4 0'
export const layers = 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3'
export const history = 'M3 5.2a5.6 5.6 0 1 1-.5 3.4M2.6 2.4v3h3M8 5v3.2l2.2 1.4'
export const clipboard = 'M3.5 3h9v11h-9zM6 1.7h4v2.6H6zM5.8 9l1.6 1.6 2.8-3.2'
export const envelope = 'M2 3.5h12v9H2zM2 4l6 4.8L14 4'
export const bell = 'M8 2a4 4 0 0 1 4 4v3l1.3 2.5H2.7L4 9V6a4 4 0 0 1 4-4M6.7 13.8h2.6'
