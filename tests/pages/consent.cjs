// Somebody with a browser lets a program and a device act for them: consent.cjs BROWSER, with what is to be done as JSON on stdin.
// Prints as JSON what axe-core finds wrong with each page on the way, where the program was sent, and what the pages said.
'use strict';

const fs = require('node:fs');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const { chromium } = require('playwright-core');

const todo = JSON.parse(fs.readFileSync(0, 'utf8'));
const seen = { faults: [], titles: [] };

async function look(page) {
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    seen.titles.push(await page.locator('h1').innerText());
    seen.faults.push(...found.violations.map(({ id, nodes }) => `${page.url()}: ${id}: ${nodes[0].html}`));
}

// Without a mouse, and whatever the page is made of: its fields are found by their labels.
async function press(page, button) {
    await page.getByRole('button', { name: button, exact: true }).focus();
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

async function signIn(page) {
    await look(page);
    await page.getByLabel('Email or user name').fill(todo.email);
    await page.getByLabel('Password').fill(todo.password);
    await press(page, 'Sign in');
    await look(page);
    await page.getByLabel('Password').fill(todo.password);
    await page.getByLabel('One-time code').fill(todo.otp);
    await press(page, 'Sign in');
}

(async () => {
    const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox', '--disable-gpu'] });
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await page.goto(todo.authorize);
    await signIn(page);
    await look(page);
    await page.locator(`input[name="allow:${todo.untick}"]`).focus();
    await page.keyboard.press('Space');
    await press(page, 'Allow');
    seen.sent = page.url();

    await page.goto(todo.device);
    await look(page);
    await page.getByLabel('Code').fill(todo.user_code.toLowerCase());
    await press(page, 'Go on');
    await look(page);
    await press(page, 'Allow');
    await look(page);

    seen.wrong = (await page.goto(todo.wrong)).status();
    await look(page);
    await browser.close();
    console.log(JSON.stringify(seen));
})();
