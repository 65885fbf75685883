export const phonesWords = {
  list: 'your phones',
  none: 'No phone is paired yet.',
  off: 'Turn this on and save. You can then pair a phone here.',
  noAddress:
    'Phones need a public https address that stays the same. The address of a quick tunnel changes, so it can’t be used. Set another one up in Settings, Public address.',
  pair: 'Pair a phone…',
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  paired: 'Paired {ago}',
  used: 'last used {ago}',
  notUsed: 'not used yet',
  synced: 'Its passkey may be on other devices too: whoever gets into that account can approve.',
  unusable: 'Paired for another public address. Remove it, and pair it again.',
  question: (name: string) => `Remove the phone “${name}”?`,
  removeMeans: 'It can’t approve sign-ins any more. To use it again, pair it again.',
  approved: (names: string) => `It approved: ${names}.`,
  revoke: 'Sign these apps out too',
};

export const pairingWords = {
  title: 'Pair a phone',
  scan: 'Scan this with the phone’s camera, within five minutes. It works once.',
  picture: 'QR code with the link that pairs a phone',
  link: 'the link that pairs a phone',
  begin: 'The code',
  compare: 'Does the phone show this code?',
  arrived: (name: string) => `“${name}” asks to be paired.`,
  stranger: 'If it shows another code, or none, choose Cancel: somebody else used the QR code.',
  answer: 'Porchlight asks you in a dialog of its own.',
  confirm: 'The codes are the same',
  done: 'Done',
  ready: (name: string) => `Paired: ${name}. It can approve sign-ins now.`,
};

export const ntfyWords = {
  off: 'Choose “From the ntfy app” and save. You can then enter your topic here.',
  server: 'ntfy server',
  topic: 'Topic',
  topicHelp: 'Anybody who knows the topic can read it. Choose one that nobody guesses.',
  stored: 'A server and a topic are stored.',
  save: 'Save',
  remove: 'Delete',
};
