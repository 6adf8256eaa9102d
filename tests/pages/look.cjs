// Opens pages in a browser and says what is wrong with them: look.cjs BROWSER ORIGIN FOLDER PATH… [--signed-in PATH…] Those after
// --signed-in are opened with the session whose cookie LOOK_COOKIE is.
// A page is looked at narrow and light, and then, as it stands, wide and dark; with LOOK_LONG it is opened anew for each width with
// each theme. Each look is a line of JSON: the faults that axe-core finds, what the console said so far, addresses of other hosts that
// were asked for, how far the page is wider than the window, and the file of its picture in FOLDER (none where that is empty).
'use strict';

const fs = require('node:fs');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const { chromium } = require('playwright-core');

const PATIENCE = 200000; // milliseconds, for the busiest machine
const NARROW = { width: 360, height: 740 };
const WIDE = { width: 1280, height: 900 };
const EVERY = [NARROW, WIDE].flatMap((viewport) => ['light', 'dark'].map((colorScheme) => ({ viewport, colorScheme })));
// The looks that a page gets once it is open, of one loading each.
const VIEWS = process.env.LOOK_LONG ? EVERY.map((view) => [view]) : [[EVERY[0], EVERY[3]]];
const [, , executablePath, origin, folder, ...given] = process.argv;
const last = given.includes('--signed-in') ? given.indexOf('--signed-in') : given.length;
const READERS = [{ paths: given.slice(0, last) }, { paths: given.slice(last + 1), cookie: process.env.LOOK_COOKIE }];

// Opens what the page shows only once its reader has opened it: of the reference a tag and two operations of it.
async function open(page) {
    for (const summary of (await page.locator('summary').all()).slice(0, 3)) await summary.click();
    if ((await page.locator('#reference').count()) === 0) return;
    await page.locator('[data-tag="shifts"] .expand-operation').click();
    for (const path of ['GET/api/shifts', 'POST/api/shifts']) {
        await page.locator('.opblock-summary-control').filter({ hasText: new RegExp(`^${path}(?!/)`) }).click();
    }
    await page.waitForFunction(() => document.querySelectorAll('.opblock-body .responses-wrapper').length === 2);
}

// A page, and what it has said and asked for elsewhere since it was last forgotten.
async function watched(context) {
    const page = await context.newPage();
    const heard = { said: [], elsewhere: [] };
    page.on('console', (message) => heard.said.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => heard.said.push(`error: ${error.message}`));
    page.on('requestfailed', (request) => heard.said.push(`failed: ${request.url()}`));
    page.on('request', (request) => {
        if (!request.url().startsWith('data:') && new URL(request.url()).origin !== origin) heard.elsewhere.push(request.url());
    });
    return { page, heard };
}

async function look(page, { viewport, colorScheme }, name) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    const faults = found.violations.map(({ id, impact, nodes }) => ({
        id, impact, count: nodes.length, nodes: nodes.slice(0, 5).map((node) => [node.target.join(' '), node.html.slice(0, 200), node.failureSummary]),
    }));
    const picture = folder ? `${folder}/${name}-${viewport.width}-${colorScheme}.png` : '';
    if (picture) await page.screenshot({ path: picture, fullPage: true });
    return { faults, wider, picture, width: viewport.width, theme: colorScheme };
}

(async () => {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    for (const views of VIEWS) {
        for (const { paths, cookie } of READERS.filter((reader) => reader.paths.length > 0)) {
            const context = await browser.newContext({ ...views[0], reducedMotion: 'reduce' });
            context.setDefaultTimeout(PATIENCE);
            if (cookie) await context.addCookies([{ name: 'svc_session', value: cookie, url: origin }]);
            const { page, heard } = await watched(context);
            for (const [place, path] of paths.entries()) {
                heard.said = [];
                heard.elsewhere = [];
                await page.setViewportSize(views[0].viewport);
                await page.emulateMedia({ colorScheme: views[0].colorScheme });
                await page.goto(origin + path, { waitUntil: 'networkidle' });
                await open(page);
                await page.evaluate(axe);
                const name = `${cookie ? 'in-' : ''}${place}${path.replaceAll(/[^a-z]/g, '_').slice(0, 40)}`;
                for (const view of views) console.log(JSON.stringify({ path, ...(await look(page, view, name)), ...heard }));
            }
            await context.close();
        }
    }
    await browser.close();
})();
