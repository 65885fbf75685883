/** The find bar. */
export const findWords = {
  name: 'Find in this window',
  field: 'Find',
  previous: 'Previous match',
  next: 'Next match',
  close: 'Close the find bar',
  count: (current: number, count: number) => (count === 0 ? 'No matches' : `${current} of ${count}`),
};

/** The note after the window was zoomed. */
export const zoomWords = {
  now: (percent: number) => `Zoom: ${percent}%`,
};
