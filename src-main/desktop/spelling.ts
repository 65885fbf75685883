import { app, type MessageBoxOptions, type Session } from 'electron';

interface SpellingTools {
  readonly session: Session;
  /** Whether the owner wants spell checking; undefined until the owner chooses. */
  readonly isEnabled: boolean | undefined;
  /** Shows a system dialog. Resolves with the index of the clicked button. */
  readonly ask: (box: MessageBoxOptions) => Promise<number>;
  /** Called when the owner turns spell checking on or off. */
  readonly chosen: (on: boolean) => void;
  readonly platform?: NodeJS.Platform;
}

/** The URL from which Chromium downloads dictionaries. */
const dictionaries = 'https://redirector.gvt1.com/edgedl/chrome/dict/';
/** A URL that prevents dictionary downloads, because it doesn't lead to another computer. */
const nowhere = 'app://porchlight/dictionaries/';

/**
 * Prepares spell checking. Call it before the window is created. macOS has its own spell checker, which is on by
 * default. On other systems, Chromium downloads dictionaries from Google. There, spell checking is off until the owner
 * agrees to the download, because Porchlight contacts no server without being asked.
 */
export function startSpelling(tools: SpellingTools) {
  const { session, isEnabled, ask, chosen, platform = process.platform } = tools;
  const isBuiltIn = platform === 'darwin';
  const languages = spellLanguages(app.getPreferredSystemLanguages(), session.availableSpellCheckerLanguages);
  let isOn = isEnabled ?? isBuiltIn;
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
    /** Turns spell checking on or off. Before Chromium downloads a dictionary, asks the owner. */
    async turn(on: boolean): Promise<void> {
      if (on && !(await mayTurnOn())) return;
      isOn = on;
      apply();
      chosen(on);
    },
  };
}

/**
 * Prevents Chromium from downloading a dictionary. Call it as soon as a session is created. Otherwise, Chromium
 * downloads a dictionary at the first start, even for windows without spell checking.
 */
export function holdDictionaries(session: Session, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'darwin') return;
  session.setSpellCheckerDictionaryDownloadURL(nowhere);
  session.setSpellCheckerLanguages([]);
}

/** Returns the dictionaries for the system's languages, most preferred first. */
export function spellLanguages(preferred: readonly string[], available: readonly string[]): string[] {
  const found = preferred.map((tag) => {
    const [language = ''] = tag.split('-');
    return [tag, withUsualRegion(language), language].find((each) => available.includes(each));
  });
  return [...new Set(found.filter((each) => each !== undefined))];
}

/**
 * Returns a language with its most likely region, such as `en-US` for `en`. Some dictionaries exist only under a name
 * with a region.
 */
function withUsualRegion(language: string): string {
  try {
    const { region = '' } = new Intl.Locale(language).maximize();
    return `${language}-${region}`;
  } catch {
    // Some systems report names that are not languages, such as C.
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
