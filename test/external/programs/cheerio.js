import * as cheerio from "cheerio/slim";

export const selects = () => {
  const $ = cheerio.load('<ul id="a"><li class="x">1</li><li>2</li></ul>');
  $("li.x").text("one").attr("data-n", "1");
  return [$("#a > li").length, $("li").eq(1).text(), $.html()];
};
