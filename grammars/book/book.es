y aconteció en los días de assuero , ( el assuero que reinó desde la india hasta la etiopía sobre ciento veinte y siete provincias , )
que en aquellos días , asentado que fué el rey assuero en la silla de su reino , la cual estaba en susán capital del reino ,
en el tercer año de su reinado hizo banquete á todos sus príncipes y siervos , teniendo delante de él la fuerza de persia y de media , gobernadores y príncipes de provincias ,
para mostrar él las riquezas de la gloria de su reino , y el lustre de la magnificencia de su poder , por muchos días , ciento y ochenta días .
y cumplidos estos días , hizo el rey banquete por siete días en el patio del huerto del palacio real á todo el pueblo , desde el mayor hasta el menor que se halló en susán capital del reino .
el pabellón era de blanco , verde , y cárdeno , tendido sobre cuerdas de lino y púrpura en sortijas de plata y columnas de mármol : los reclinatorios de oro y de plata , sobre losado de pórfido y de mármol , y de alabastro y de jacinto .
y daban á beber en vasos de oro , y vasos diferentes unos de otros , y mucho vino real , conforme á la facultad del rey .
y la bebida fué según esta ley : que nadie constriñese ; porque así lo había mandado el rey á todos los mayordomos de su casa ; que se hiciese según la voluntad de cada uno .
asimismo la reina vasthi hizo banquete de mujeres , en la casa real del rey assuero .
el séptimo día , estando el corazón del rey alegre del vino , mandó á mehumán , y á biztha , y á harbona , y á bigtha , y á abagtha , y á zetar , y á carcas , siete eunucos que servían delante del rey assuero ,
que trajesen á la reina vasthi delante del rey con la corona regia , para mostrar á los pueblos y á los príncipes su hermosura ; porque era linda de aspecto .
mas la reina vasthi no quiso comparecer á la orden del rey , enviada por mano de los eunucos ; y enojóse el rey muy mucho , y encendióse en él su ira .
preguntó entonces el rey á los sabios que sabían los tiempos , ( porque así era la costumbre del rey para con todos los que sabían la ley y el derecho ;
y estaban junto á él , carsena , y sethar , y admatha , y tharsis , y meres , y marsena , y memucán , siete príncipes de persia y de media que veían la cara del rey , y se sentaban los primeros del reino : )
qué se había de hacer según la ley con la reina vasthi , por cuanto no había cumplido la orden del rey assuero , enviada por mano de los eunucos .
y dijo memucán delante del rey y de los príncipes : no solamente contra el rey ha pecado la reina vasthi , sino contra todos los príncipes , y contra todos los pueblos que hay en todas las provincias del rey assuero .
porque este hecho de la reina pasará á noticia de todas las mujeres , para hacerles tener en poca estima á sus maridos , diciendo : el rey assuero mandó traer delante de sí á la reina vasthi , y ella no vino .
y entonces dirán esto las señoras de persia y de media que oyeren el hecho de la reina , á todos los príncipes del rey : y habrá mucho menosprecio y enojo .
y el mandamiento que hará el rey será oído en todo su reino , aunque es grande , y todas las mujeres darán honra á sus maridos , desde el mayor hasta el menor .
y plugo esta palabra en ojos del rey y de los príncipes , é hizo el rey conforme al dicho de memucán ;
pues envió letras á todas las provincias del rey , á cada provincia conforme á su escribir , y á cada pueblo conforme á su lenguaje , diciendo que todo hombre fuese señor en su casa ; y háblese esto según la lengua de su pueblo .
pasadas estas cosas , sosegada ya la ira del rey assuero , acordóse de vasthi , y de lo que hizo , y de lo que fué sentenciado contra ella .
y dijeron los criados del rey , sus oficiales : busquen al rey mozas vírgenes de buen parecer ;
y ponga el rey personas en todas las provincias de su reino , que junten todas las mozas vírgenes de buen parecer en susán residencia regia , en la casa de las mujeres , al cuidado de hegai , eunuco del rey , guarda de las mujeres , dándoles sus atavíos ;
y la moza que agradare á los ojos del rey , reine en lugar de vasthi . y la cosa plugo en ojos del rey , é hízolo así .
había un varón judío en susán residencia regia , cuyo nombre era mardochêo , hijo de jair , hijo de simi , hijo de cis , del linaje de benjamín ;
el cual había sido trasportado de jerusalem con los cautivos que fueron llevados con jechônías rey de judá , á quien hizo trasportar nabucodonosor rey de babilonia .
y había criado á hadassa , que es esther , hija de su tío , porque no tenía padre ni madre ; y era moza de hermosa forma y de buen parecer ; y como su padre y su madre murieron , mardochêo la había tomado por hija suya .
sucedió pues , que como se divulgó el mandamiento del rey y su acuerdo , y siendo reunidas muchas mozas en susán residencia regia , á cargo de hegai , fué tomada también esther para casa del rey , al cuidado de hegai , guarda de las mujeres .
y la moza agradó en sus ojos , y halló gracia delante de él ; por lo que hizo darle prestamente sus atavíos y sus raciones , dándole también siete convenientes doncellas de la casa del rey ; y pasóla con sus doncellas á lo mejor de la casa de las mujeres .
esther no declaró su pueblo ni su nacimiento ; porque mardochêo le había mandado que no lo declarase .
y cada día mardochêo se paseaba delante del patio de la casa de las mujeres , por saber cómo iba á esther , y qué se hacía de ella .
entonces la moza venía así al rey : todo lo que ella decía se le daba , para venir con ello de la casa de las mujeres hasta la casa del rey .
ella venía á la tarde , y á la mañana se volvía á la casa segunda de las mujeres , al cargo de saasgaz eunuco del rey , guarda de las concubinas : no venía más al rey , salvo si el rey la quería , y era llamada por nombre .
fué pues esther llevada al rey assuero á su casa real en el mes décimo , que es el mes de tebeth , en el año séptimo de su reinado .
y el rey amó á esther sobre todas las mujeres , y halló gracia y benevolencia delante de él más que todas las vírgenes ; y puso la corona real en su cabeza , é hízola reina en lugar de vasthi .
hizo luego el rey gran banquete á todos sus príncipes y siervos , el banquete de esther ; y alivió á las provincias , é hizo y dió mercedes conforme á la facultad real .
y cuando se juntaban las vírgenes la segunda vez , mardochêo estaba puesto á la puerta del rey .
y esther , según le tenía mandado mardochêo , no había declarado su nación ni su pueblo ; porque esther hacía lo que decía mardochêo , como cuando con él se educaba .
en aquellos días , estando mardochêo sentado á la puerta del rey , enojáronse bigthán y teres , dos eunucos del rey , de la guardia de la puerta , y procuraban poner mano en el rey assuero .
mas entendido que fué esto por mardochêo , él lo denunció á la reina esther , y esther lo dijo al rey en nombre de mardochêo .
hízose entonces indagación de la cosa , y fué hallada cierta ; por tanto , entrambos fueron colgados en una horca . y escribióse el caso en el libro de las cosas de los tiempos delante del rey .
después de estas cosas , el rey assuero engrandeció á amán hijo de amadatha agageo , y ensalzólo , y puso su silla sobre todos los príncipes que estaban con él .
y todos los siervos del rey que estaban á la puerta del rey , se arrodillaban é inclinaban á amán , porque así se lo había mandado el rey ; pero mardochêo , ni se arrodillaba ni se humillaba .
y los siervos del rey que estaban á la puerta , dijeron á mardochêo : ¿ por qué traspasas el mandamiento del rey ?
y aconteció que , hablándole cada día de esta manera , y no escuchándolos él , denunciáronlo á amán , por ver si las palabras de mardochêo se mantendrían ; porque ya él les había declarado que era judío .
y vió amán que mardochêo ni se arrodillaba ni se humillaba delante de él ; y llenóse de ira .
mas tuvo en poco meter mano en solo mardochêo ; que ya le habían declarado el pueblo de mardochêo : y procuró amán destruir á todos los judíos que había en el reino de assuero , al pueblo de mardochêo .
en el mes primero , que es el mes de nisán , en el año duodécimo del rey assuero , fué echada pur , esto es , la suerte , delante de amán , de día en día y de mes en mes ; y salió el mes duodécimo , que es el mes de adar .
si place al rey , escríbase que sean destruídos ; y yo pesaré diez mil talentos de plata en manos de los que manejan la hacienda , para que sean traídos á los tesoros del rey .
entonces el rey quitó su anillo de su mano , y diólo á amán hijo de amadatha agageo , enemigo de los judíos ,
y díjole : la plata propuesta sea para ti , y asimismo el pueblo , para que hagas de él lo que bien te pareciere .
la copia del escrito que se diese por mandamiento en cada provincia , fué publicada á todos los pueblos , á fin de que estuviesen apercibidos para aquel día .
y salieron los correos de priesa por mandato del rey , y el edicto fué dado en susán capital del reino . y el rey y amán estaban sentados á beber , y la ciudad de susán estaba conmovida .
luego que supo mardochêo todo lo que se había hecho , rasgó sus vestidos , y vistióse de saco y de ceniza , y fuése por medio de la ciudad clamando con grande y amargo clamor .
y vino hasta delante de la puerta del rey : porque no era lícito pasar adentro de la puerta del rey con vestido de saco .
y en cada provincia y lugar donde el mandamiento del rey y su decreto llegaba , tenían los judíos grande luto , y ayuno , y lloro , y lamentación : saco y ceniza era la cama de muchos .
y vinieron las doncellas de esther y sus eunucos , y dijéronselo : y la reina tuvo gran dolor , y envió vestidos para hacer vestir á mardochêo , y hacerle quitar el saco de sobre él ; mas él no los recibió .
entonces esther llamó á atach , uno de los eunucos del rey , que él había hecho estar delante de ella , y mandólo á mardochêo , con orden de saber qué era aquello , y por qué .
salió pues atach á mardochêo , á la plaza de la ciudad que estaba delante de la puerta del rey .
y mardochêo le declaró todo lo que le había acontecido , y dióle noticia de la plata que amán había dicho que pesaría para los tesoros del rey por razón de los judíos , para destruirlos .
y vino atach , y contó á esther las palabras de mardochêo .
entonces esther dijo á atach , y mandóle decir á mardochêo :
y dijeron á mardochêo las palabras de esther .
entonces dijo mardochêo que respondiesen á esther : no pienses en tu alma , que escaparás en la casa del rey más que todos los judíos :
porque si absolutamente callares en este tiempo , respiro y libertación tendrán los judíos de otra parte ; mas tú y la casa de tu padre pereceréis . ¿ y quién sabe si para esta hora te han hecho llegar al reino ?
y esther dijo que respondiesen á mardochêo :
entonces se fué mardochêo , é hizo conforme á todo lo que le mandó esther .
y aconteció que al tercer día se vistió esther su vestido real , y púsose en el patio de adentro de la casa del rey , enfrente del aposento del rey : y estaba el rey sentado en su solio regio en el aposento real , enfrente de la puerta del aposento .
y fué que , como vió á la reina esther que estaba en el patio , ella obtuvo gracia en sus ojos ; y el rey extendió á esther el cetro de oro que tenía en la mano . entonces se llegó esther , y tocó la punta del cetro .
y dijo el rey : ¿ qué tienes , reina esther ? ¿ y cuál es tu petición ? hasta la mitad del reino , se te dará .
y esther dijo : si al rey place , venga hoy el rey con amán al banquete que le he hecho .
y respondió el rey : daos priesa , llamad á amán , para hacer lo que esther ha dicho . vino pues el rey con amán al banquete que esther dispuso .
y dijo el rey á esther en el banquete del vino : ¿ cuál es tu petición , y te será otorgada ? ¿ cuál es tu demanda ? aunque sea la mitad del reino , te será concedida .
entonces respondió esther , y dijo : mi petición y mi demanda es :
si he hallado gracia en los ojos del rey , y si place al rey otorgar mi petición y hacer mi demanda , que venga el rey con amán al banquete que les dispondré ; y mañana haré conforme á lo que el rey ha mandado .
y salió amán aquel día contento y alegre de corazón ; pero como vió á mardochêo á la puerta del rey , que no se levantaba ni se movía de su lugar , llenóse contra mardochêo de ira .
mas refrenóse amán , y vino á su casa , y envió , é hizo venir sus amigos , y á zeres su mujer .
y refirióles amán la gloria de sus riquezas , y la multitud de sus hijos , y todas las cosas con que el rey le había engrandecido y con que le había ensalzado sobre los príncipes y siervos del rey .
y añadió amán : también la reina esther á ninguno hizo venir con el rey al banquete que ella dispuso , sino á mí : y aun para mañana soy convidado de ella con el rey .
mas todo esto nada me sirve cada vez que veo al judío mardochêo sentado á la puerta del rey .
y díjole zeres su mujer , y todos sus amigos : hagan una horca alta de cincuenta codos , y mañana di al rey que cuelguen á mardochêo en ella ; y entra con el rey al banquete alegre . y plugo la cosa en los ojos de amán , é hizo preparar la horca .
vino pues el rey con amán á beber con la reina esther .
y también el segundo día dijo el rey á esther en el convite del vino : ¿ cuál es tu petición , reina esther , y se te concederá ? ¿ cuál es pues tu demanda ? aunque sea la mitad del reino , pondráse por obra .
entonces la reina esther respondió y dijo : oh rey , si he hallado gracia en tus ojos , y si al rey place , séame dada mi vida por mi petición , y mi pueblo por mi demanda .
porque vendidos estamos yo y mi pueblo , para ser destruídos , para ser muertos y exterminados . y si para siervos y siervas fuéramos vendidos , callárame , bien que el enemigo no compensara el daño del rey .
y respondió el rey assuero , y dijo á la reina esther : ¿ quién es , y dónde está , aquél á quien ha henchido su corazón para obrar así ?
y esther dijo : el enemigo y adversario es este malvado amán . entonces se turbó amán delante del rey y de la reina .
levantóse luego el rey del banquete del vino en su furor , y se fué al huerto del palacio : y quedóse amán para procurar de la reina esther por su vida ; porque vió que estaba resuelto para él el mal de parte del rey .
y dijo harbona , uno de los eunucos de delante del rey : he aquí también la horca de cincuenta codos de altura que hizo amán para mardochêo , el cual había hablado bien por el rey , está en casa de amán . entonces el rey dijo : colgadlo en ella .
así colgaron á amán en la horca que él había hecho aparejar para mardochêo ; y apaciguóse la ira del rey .
el mismo día dió el rey assuero á la reina esther la casa de amán enemigo de los judíos ; y mardochêo vino delante del rey , porque esther le declaró lo que era respecto de ella .
y quitóse el rey su anillo que había vuelto á tomar de amán , y diólo á mardochêo . y esther puso á mardochêo sobre la casa de amán .
volvió luego esther á hablar delante del rey , y echóse á sus pies , llorando y rogándole que hiciese nula la maldad de amán agageo , y su designio que había formado contra los judíos .
entonces extendió el rey á esther el cetro de oro , y esther se levantó , y púsose en pie delante del rey .
porque ¿ cómo podré yo ver el mal que alcanzará á mi pueblo ? ¿ cómo podré yo ver la destrucción de mi nación ?
y respondió el rey assuero á la reina esther , y á mardochêo judío : he aquí yo he dado á esther la casa de amán , y á él han colgado en la horca , por cuanto extendió su mano contra los judíos .
escribid pues vosotros á los judíos como bien os pareciere en el nombre del rey , y selladlo con el anillo del rey ; porque la escritura que se escribe en nombre del rey , y se sella con el anillo del rey , no es para revocarla .
y escribió en nombre del rey assuero , y selló con el anillo del rey , y envió letras por correos de á caballo , montados en dromedarios , y en mulos hijos de yeguas ;
en un mismo día en todas las provincias del rey assuero , en el trece del mes duodécimo , que es el mes de adar .
