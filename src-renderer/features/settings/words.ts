/** The words that several pages of the settings share. Those of a setting stand in its row (src-main/contract). */

export const saveWords = {
  save: 'Save',
  saved: 'Saved.',
  discard: 'Discard changes',
  failed: 'Your changes weren’t saved.',
};

export const fieldWords = {
  badAddress: 'Enter a web address that starts with https:// or http://.',
  badSite: (site: string) => `“${site}” isn’t the name of a site. Enter a name such as friend.example.`,
};

/** The words of lists whose rows the owner adds, moves and deletes. */
export const listWords = {
  add: (one: string) => `Add a ${one}`,
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  remove: (name: string) => `Delete ${name}`,
  moved: (name: string, place: number, count: number) => `${name} is now ${place} of ${count}.`,
  removed: (name: string) => `${name} is deleted.`,
};
