import { app, type MessageBoxOptions, type Session } from 'electron';

interface SpellingTools {
  readonly session: Session;
  /** Whether the owner wants spell checking; undefined until they choose. */
  readonly wanted: boolean | undefined;
  /** Asks in a system dialog. Resolves with the index of the button. */
  readonly ask: (box: MessageBoxOptions) => Promise<number>;
  /** Called with each choice of the owner. */
  readonly chosen: (on: boolean) => void;
  readonly platform?: NodeJS.Platform;
}

/** The URL from which Chromium downloads dictionaries. */
const dictionaries = 'https://redirector.gvt1.com/edgedl/chrome/dict/';
/** A URL that leads to no other computer. */
const nowhere = 'app://porchlight/dictionaries/';

/**
 * Prepares spell checking; call it before the window is created. macOS has its own checker, which is on by default. On
 * other systems, Chromium downloads dictionaries from Google. Porchlight contacts nobody unasked, so the checker is off
 * on those systems until the owner agrees.
 */
export function startSpelling(tools: SpellingTools) {
  const { session, wanted, ask, chosen, platform = process.platform } = tools;
  const isBuiltIn = platform === 'darwin';
  const languages = spellLanguages(app.getPreferredSystemLanguages(), session.availableSpellCheckerLanguages);
  let isOn = wanted ?? isBuiltIn;
  const apply = () => {
    if (!isBuiltIn && isOn) {
      session.setSpellCheckerDictionaryDownloadURL(dictionaries);
      session.setSpellCheckerLanguages(languages);
    } else if (!isBuiltIn) {
      holdDictionaries(session, platform);
    }
    session.setSpellCheckerEnabled(isOn);
  };
  const mayTurnOn = async () => {
    if (isBuiltIn) return true;
    if (languages.length > 0) return (await ask(downloadQuestion(languages))) === 0;
    await ask(noDictionary);
    return false;
  };
  apply();
  return {
    isOn: () => isOn,
    /** Turns spell checking on or off. Asks first if turning it on downloads a dictionary. */
    async turn(on: boolean): Promise<void> {
      if (on && !(await mayTurnOn())) return;
      isOn = on;
      apply();
      chosen(on);
    },
  };
}

/**
 * Prevents Chromium from downloading a dictionary. Call it as soon as a session is created: otherwise Chromium
 * downloads one at every first start, even for windows without spell checking.
 */
export function holdDictionaries(session: Session, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'darwin') return;
  session.setSpellCheckerDictionaryDownloadURL(nowhere);
  session.setSpellCheckerLanguages([]);
}

/** Returns the dictionaries for the system's languages, the most preferred first. */
export function spellLanguages(preferred: readonly string[], available: readonly string[]): string[] {
  const found = preferred.map((tag) => {
    const [language = ''] = tag.split('-');
    return [tag, withUsualRegion(language), language].find((each) => available.includes(each));
  });
  return [...new Set(found.filter((each) => each !== undefined))];
}

/** Returns `en-US` for `en`, because some dictionaries have only names with a region. */
function withUsualRegion(language: string): string {
  try {
    const { region = '' } = new Intl.Locale(language).maximize();
    return `${language}-${region}`;
  } catch {
    // Systems report names such as C that are not languages.
    return '';
  }
}

const common = { title: 'Porchlight', noLink: true } as const;

function downloadQuestion(languages: readonly string[]): MessageBoxOptions {
  const names = new Intl.DisplayNames(['en'], { type: 'language' });
  const list = new Intl.ListFormat('en').format(languages.map((each) => names.of(each) ?? each));
  return {
    ...common,
    type: 'question',
    message: languages.length === 1 ? 'Download a dictionary?' : 'Download dictionaries?',
    detail:
      `To check your spelling, Porchlight downloads from Google what it needs for ${list}. ` +
      'What you write stays on this computer.',
    buttons: ['Download', 'Cancel'],
    defaultId: 0,
    cancelId: 1,
  };
}

const noDictionary: MessageBoxOptions = {
  ...common,
  type: 'info',
  message: 'There is no dictionary for your language',
  detail: 'Porchlight cannot check spelling in the languages of this computer.',
  buttons: ['OK'],
};
